"""Pairing of matches, and suspension of bots: pure functions."""
