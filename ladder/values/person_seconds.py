"""Seconds that a person at a table may think: in a module that a command can read before it loads anything else."""

from __future__ import annotations

MIN_SECONDS, MAX_SECONDS = 5.0, 3600.0
"""For a decision, by the clock on the wall."""
