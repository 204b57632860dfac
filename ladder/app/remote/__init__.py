"""A remote ladder, asked over HTTP: needs nothing of what a ladder is run with."""
