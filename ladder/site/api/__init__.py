"""The API: the values that `--json` prints and pages show."""
