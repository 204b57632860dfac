"""The orders in which standings can be shown."""

from __future__ import annotations

import enum


class Order(enum.StrEnum):
    """What the standings are ordered by."""

    ELO = "elo"
    """By places."""
    POINTS = "points"
    """By points a deal against the field."""
