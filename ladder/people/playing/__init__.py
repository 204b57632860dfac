"""Playing with people: their seats beside those of bots; the process of `pigpen ladder tables`."""
