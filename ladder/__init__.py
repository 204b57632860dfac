"""Everything around the referee: bots, sandboxes, local matches, the command `pigpen`."""
