"""Simulation: deals sampled, played out and solved. Bots import these names from `pigpen`."""
