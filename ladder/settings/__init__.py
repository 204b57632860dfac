"""Settings of the organiser, in `pigpen.toml` and in the environment."""
