"""Commands that hand in a bot."""
