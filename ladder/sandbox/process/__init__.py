"""Bots as plain processes of this user, without isolation."""
