"""Deadlines of submissions."""

from __future__ import annotations

from ladder.values.value import Time, Value


class DeadlineRow(Value):
    """A deadline: what is submitted later is refused."""

    variant: str | None
    """None: of every variant that has none of its own."""
    at: Time
