"""Public values of Pigpen: values that the commands print, with `--json` exactly as they stand here."""
