"""What only the site shows of a ladder as a whole."""

from __future__ import annotations

from ladder.values.order import Order
from ladder.values.standings import StandingRow
from ladder.values.value import Time, Value


class LadderCounts(Value):
    """How much there is of everything."""

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
    """What visitors have asked to have computed, by status: `queued`, `leased`."""


class VariantSummary(Value):
    """A variant in a few lines."""

    variant: str
    title: str
    """What people call it."""
    matches: int
    """How many have a result."""
    active: int
    """How many versions are ranked."""
    by: Order = Order.ELO
    """What the order of the best ones follows from."""
    top: tuple[StandingRow, ...]
    """The best ones, the best first."""


class CurvePoint(Value):
    """A rating after a match."""

    match: int
    finished: Time
    version: int
    """Its number among the versions of the bot."""
    matches: int
    """How many rated matches this version had had, this one included."""
    elo: float
    """As it was shown then."""


class RatingCurve(Value):
    """How the rating of a bot went, version after version."""

    bot: str
    variant: str
    points: tuple[CurvePoint, ...]
    """The oldest first; of many matches, some evenly chosen ones and the last."""
