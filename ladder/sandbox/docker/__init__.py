"""Bots in Docker containers: images, limits, control groups, output."""
