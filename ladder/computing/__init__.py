"""The process of `pigpen ladder compute`: it leases what visitors ask to have computed, and has it computed."""
