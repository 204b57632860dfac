"""What a bot is given: the view of its seat, and what it is told besides."""
