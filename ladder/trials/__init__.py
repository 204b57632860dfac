"""The trial of a submitted bot: built or pulled, looked at, and played before the ladder takes it."""
