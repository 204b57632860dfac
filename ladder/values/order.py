"""The orders in which standings can be shown."""

from __future__ import annotations

import enum


class Order(enum.StrEnum):
    """Criterion that orders the standings."""

    ELO = "elo"
    """By places."""
    POINTS = "points"
    """By points a deal against the field."""


class Column(enum.StrEnum):
    """A column by which a page of standings can be sorted; ranks stay those of the `Order`."""

    BOT = "bot"
    """By name."""
    MATCHES = "matches"
    """The most first."""
    PLACES = "places"
    """The largest share of first places first."""
    FAULTS = "faults"
    """The fewest faults a decision first."""
    TREND = "trend"
    """The largest gain first."""
