"""A ladder elsewhere, asked over HTTP: needs nothing of what a ladder is run with."""
