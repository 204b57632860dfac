"""Contents of a bot's page besides the values of the ladder: think times in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.app import bots
from ladder.results.think_times import PHASES, end_of, quantile, used_bins
from ladder.values.site import RatingCurve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ladder.app.bots import ShownBot
    from ladder.app.ladder import Ladder
    from ladder.values.bots import InVariant

OPPONENTS = 20
NEWEST = 5
"""Matches on the page; a link leads to all of them."""
LABELS = 4
"""Words under a histogram."""


@dataclass(frozen=True)
class ThinkTime:
    """Think times of a bot in one phase."""

    phase: str
    times: int
    half: str
    """Half of the decisions took less."""
    nearly_all: str
    """99 % of them took less."""
    most: str
    counts: tuple[int, ...]
    """By bin."""
    edges: tuple[str, ...]
    """The beginning of each bin, in words; empty where nothing is written."""


@dataclass(frozen=True)
class VariantPart:
    """The part of a bot's page about one variant."""

    there: InVariant
    curve: RatingCurve
    think_times: tuple[ThinkTime, ...]


def bot(ladder: Ladder, name: str, variant: str = "") -> dict[str, object]:
    """
    Read all that the page shows.

    Args:
        ladder: The ladder.
        name: Of the bot, or of one of its versions.
        variant: The one that is shown; where it is not entered there, the one in which it has played most.

    Raises:
        LadderError: If there is none.
    """
    shown = bots.shown_bot(ladder, name, OPPONENTS, NEWEST)
    parts = [_part(shown, there) for there in shown.page.variants]
    chosen = next((part for part in parts if part.there.variant == variant), None) or _most_played(parts)
    return {"bot": shown.page, "parts": parts, "chosen": chosen, "newest": shown.newest}


def _most_played(parts: Sequence[VariantPart]) -> VariantPart | None:
    """Find the variant in which it has played most, of those in which it is active if there are any."""
    standings = {number: part.there.standing for number, part in enumerate(parts)}
    best = max(
        standings, key=lambda number: (standings[number].rank is not None, standings[number].matches), default=None
    )
    return None if best is None else parts[best]


def _part(shown: ShownBot, there: InVariant) -> VariantPart:
    nothing = RatingCurve(bot=shown.page.bot, variant=there.variant, points=())
    return VariantPart(there, shown.curves.get(there.variant, nothing), tuple(_think_times(there)))


def _think_times(there: InVariant) -> Iterator[ThinkTime]:
    used = used_bins(there.think_times)
    every = max(1, -(-len(used) // LABELS))
    edges = tuple(end_of(place - 1) if number % every == 0 else "" for number, place in enumerate(used))
    for phase in PHASES:
        counts = there.think_times.get(phase, ())
        if sum(counts):
            half, nearly_all, most = (end_of(quantile(counts, part)) for part in (0.5, 0.99, 1.0))
            shown = counts[used.start : used.stop]
            yield ThinkTime(phase, sum(counts), half, nearly_all, most, shown, edges)
