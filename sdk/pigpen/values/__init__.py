"""Values that a bot receives: the view of its seat, and notices. Bots import these names from `pigpen`."""
