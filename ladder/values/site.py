"""Summaries of a ladder as a whole that only the site shows."""

from __future__ import annotations

from ladder.values.order import Order
from ladder.values.standings import StandingRow
from ladder.values.value import Time, Value


class LadderCounts(Value):
    """Counts of everything on the ladder."""

    matches: dict[str, int]
    """By status: `queued`, `leased`, `done`, `quarantined`."""
    bots: dict[str, int]
    """Entries of versions in variants, by state: `active`, `suspended`, `retired`."""
    failures: int
    """Attempts that failed, of matches that are not done."""
    decisions: int
    """In all matches that are done."""
    faults: int
    """Held against bots in them."""
    submissions: dict[str, int]
    """By status: `queued`, `leased`, `entered`, `refused`, `failed`, `withdrawn`."""
    tables: dict[str, int]
    """Tables with people, by status: `waiting`, `ready`, `playing`, `over`, `ended`."""
    computations: dict[str, int]
    """Questions of visitors that are to be computed, by status: `queued`, `leased`."""


class VariantSummary(Value):
    """A variant in a few lines."""

    variant: str
    title: str
    """Name of the variant for people."""
    matches: int
    """Number of matches with a result."""
    active: int
    """Number of ranked versions."""
    by: Order = Order.ELO
    """Criterion that orders the best ones."""
    top: tuple[StandingRow, ...]
    """The best ones, the best first."""


class CurvePoint(Value):
    """A rating after a match."""

    match: int
    finished: Time
    version: int
    """Its number among the versions of the bot."""
    matches: int
    """Number of rated matches of this version, this one included."""
    elo: float
    """As it was shown then."""


class RatingCurve(Value):
    """Rating of a bot over its matches, version after version."""

    bot: str
    variant: str
    points: tuple[CurvePoint, ...]
    """The oldest first; of many matches, some evenly chosen ones and the last."""
