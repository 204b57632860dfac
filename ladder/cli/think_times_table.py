"""How long a bot thinks, by phase: a histogram that fits in a line."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from ladder.cli.ladder_words import LEVELS, cell, plain_table
from ladder.results.think_times import EDGES_MS, PHASES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console


def print_think_times(histogram: Mapping[str, Sequence[int]], console: Console) -> None:
    """Print a row for each phase; nothing if the bot has decided nothing yet."""
    phases = [phase for phase in PHASES if sum(histogram.get(phase, ()))]
    if not phases:
        return
    used = [place for phase in phases for place, count in enumerate(histogram[phase]) if count]
    first, last = min(used), max(used)
    bars = f"{_bound(first - 1)} to {_bound(last)}"
    numbers = ("times", "half below", "99 % below", "all below")
    table = plain_table("thinks to", *numbers, bars, right=numbers)
    for phase in phases:
        counts = histogram[phase]
        texts = (
            phase,
            str(sum(counts)),
            *(_bound(_quantile(counts, part)) for part in (0.5, 0.99, 1.0)),
            _bars(counts[first : last + 1]),
        )
        table.add_row(*(cell(console, text) for text in texts))
    console.print(table)


def _quantile(counts: Sequence[int], part: float) -> int:
    """The first bin up to whose end lies that part of all decisions."""
    total = sum(counts)
    return next(place for place, below in enumerate(accumulate(counts)) if below >= part * total)


def _bound(place: int) -> str:
    """Where a bin ends, in words."""
    if place < 0:
        return "0"
    if place >= len(EDGES_MS):
        return "no end"
    edge = EDGES_MS[place]
    return f"{edge / 1000:g} s" if edge >= 1000 else f"{edge:g} ms"


def _bars(counts: Sequence[int]) -> str:
    """One bar for each bin; an empty bin is a blank, and any other shows."""
    most = max(counts)
    return "".join(LEVELS[round(count / most * (len(LEVELS) - 1))] if count else " " for count in counts)
