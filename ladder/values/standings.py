"""Who is best."""

from __future__ import annotations

from ladder.values.value import Time, Value


class StandingRow(Value):
    """How a version stands in a variant."""

    rank: int | None
    """Among the active ones, from 1; equal ratings share it. None if it is not active."""
    bot: str
    version: int
    """Its number among the versions of the bot."""
    owner: str
    state: str
    """`active`, `suspended` or `retired`."""
    since: Time
    """When it got this state."""
    reason: str
    elo: float
    """As it was after its last match; only a match of its own changes it."""
    error: float | None
    """Half the width of the 95 % interval of a batch estimate; None before the first one."""
    rank_low: int | None
    """The best rank that it may deserve among the active ones; None as above, or if it is not active."""
    rank_high: int | None
    """The worst one."""
    matches: int
    deals: int
    points_per_deal: float | None
    """None before its first deal."""
    shares: tuple[float, ...]
    """Of its matches, those in which its side came first, second, …, 0 to 1; empty before its first match."""
    decisions: int
    faults: int
    takeovers: int
    """Matches in which the default policy took its seat over."""
    history: tuple[float, ...]
    """Its Elo after each of its last matches, newest last."""
    provisional: bool
    """Whether it has too few matches for its rating to mean much."""
    fault_rate: float | None
    """Faults per decision, 0 to 1; None before its first decision."""
    change: float | None
    """How far its Elo has moved since the oldest match of its history; None without one."""


class Standings(Value):
    """A variant and who plays it."""

    variant: str
    title: str
    """What people call the variant."""
    matches: int
    """How many have a result."""
    low_is_better: bool
    sides: int
    """How many win or lose each for itself: partners count as one."""
    missing_owners: int = 0
    """How many more owners must have an active bot before a match can be played; 0: matches can be played."""
    standings: tuple[StandingRow, ...]
    """The best first."""
