"""Boards that many people play: today's, and those of matches; results compared."""
