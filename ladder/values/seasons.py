"""Seasons of a variant: each has one clock, one limit, one set of rules, and standings of its own."""

from __future__ import annotations

from ladder.values.value import Time, Value


class SeasonRow(Value):
    """A season of a variant."""

    variant: str
    number: int
    """1 for the variant's first one."""
    name: str
    began: Time
    ended: Time | None
    """None: it is played now."""
    clock: str | None
    """As in the settings: ``60+0.1``; None: no match has been scheduled yet."""
    limit: float | None
    """The most seconds for one decision; None likewise."""
    rules_hash: str
    """SHA-256 of its rules, as JSON with sorted keys."""
    matches: int
    """Number of its matches that have a result."""
