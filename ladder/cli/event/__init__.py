"""Commands for events."""
