"""The pens that bots run in."""
