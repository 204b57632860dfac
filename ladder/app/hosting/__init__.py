"""Files and images that run a ladder for long: units of systemd, a compose file, an image of Pigpen."""
