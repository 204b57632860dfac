"""What an organiser sets, in `pigpen.toml` and in the environment."""
