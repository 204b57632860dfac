"""What a bot is given: the view of its seat, and notices. Bots import these names from `pigpen`."""
