"""Packages that a bot's folder asks for: wheels only, fetched and unpacked by us; nothing of them runs."""
