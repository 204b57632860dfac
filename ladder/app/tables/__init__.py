"""Tables with people: opened, sat down at, looked at, ended."""
