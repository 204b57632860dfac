"""
Standings of a ladder: the bots of each variant, the best first.

Each season of a variant has one clock, one limit, one set of rules, and standings of its own. The summaries of a ladder
as a whole, and the rating curves, are shown by the site only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.values.order import Order
from ladder.values.value import Time, Value

if TYPE_CHECKING:
    from collections.abc import Sequence


class StandingRow(Value):
    """Standing of a version in a variant."""

    rank: int | None
    """Among the active ones, from 1; equal ratings share it. None if it is not active."""
    bot: str
    version: int
    """Its number among the versions of the bot."""
    owner: str
    state: str
    """`active`, `suspended` or `retired`."""
    since: Time
    """Time at which it got this state."""
    reason: str
    elo: float
    """As it was after its last match; only a match of its own changes it."""
    error: float | None
    """Half the width of the 95 % interval of a batch estimate; None before the first one."""
    rank_low: int | None
    """The best rank that it may deserve among the active ones; None as above, or if it is not active."""
    rank_high: int | None
    """The worst one."""
    margin: float | None
    """
    Points a deal by which it is better than the mean of the active ones, by a fit of all boards.

    More is better in every variant. None before the first fit.
    """
    margin_error: float | None
    """Half the width of its 95 % interval."""
    margin_rank: int | None
    """Among the active ones by margin, from 1; None if it is not active or has no margin."""
    margin_rank_low: int | None
    """The best rank by margin that it may deserve."""
    margin_rank_high: int | None
    """The worst one."""
    outplaced_by: str | None
    """The best of those that surely have better places and surely win fewer points; None if there is none."""
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
    """True if it has too few matches for its rating to mean much."""
    fault_rate: float | None
    """Faults per decision, 0 to 1; None before its first decision."""
    change: float | None
    """Change of its Elo since the oldest match of its history; None without one."""


class CircleStep(Value):
    """A bot that surely beats another."""

    bot: str
    """With the number of its version, unless that is the first: `Snout@2`."""
    ahead: int
    """Boards on which it was ahead of the next bot of the circle; of the last step, of the first bot."""
    behind: int
    """Those on which it was behind it; on all others the two tied."""


class Circle(Value):
    """Three bots of which each surely beats the next one, and the last one the first: no order of them is right."""

    steps: tuple[CircleStep, ...]


class Standings(Value):
    """A variant and who plays it."""

    variant: str
    title: str
    """Name of the variant for people."""
    matches: int
    """Number of matches with a result."""
    low_is_better: bool
    sides: int
    """Number of sides that win or lose each for itself: partners count as one."""
    by: Order = Order.ELO
    """Criterion that orders the rows."""
    missing_owners: int = 0
    """Number of further owners who must have an active bot before a match can be played; 0: matches can be played."""
    standings: tuple[StandingRow, ...]
    """The best first."""
    circles: tuple[Circle, ...] = ()
    """Bots of which no list can say the order, the surest circle first; no bot is in two of them."""
    next: int | None = None
    """Number of the rows up to here, if others follow; None: these are the last."""


def percents(shares: Sequence[float]) -> list[int]:
    """
    Give parts of a whole in whole per cent that add up to 100: the largest remainders are rounded up.

    >>> percents([1 / 3, 1 / 3, 1 / 3]), percents([])
    ([34, 33, 33], [])
    """
    exact = [100 * share for share in shares]
    whole = [int(each) for each in exact]
    rest = round(sum(exact)) - sum(whole)
    for place in sorted(range(len(exact)), key=lambda place: whole[place] - exact[place])[:rest]:
        whole[place] += 1
    return whole


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
    """Tables with people, by status: `waiting`, `ready`, `playing`, `paused`, `over`, `ended`."""
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
