"""Think times of a bot, by phase: a histogram that fits in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.results.think_times import PHASES, end_of, quantile, used_bins
from ladder.terminal.ladder_words import LEVELS, cell, plain_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console


def print_think_times(histogram: Mapping[str, Sequence[int]], console: Console) -> None:
    """Print a row for each phase; nothing if the bot has decided nothing yet."""
    phases = [phase for phase in PHASES if sum(histogram.get(phase, ()))]
    if not phases:
        return
    used = used_bins(histogram)
    bars = f"{end_of(used.start - 1)} to {end_of(used.stop - 1)}"
    numbers = ("times", "half below", "99 % below", "all below")
    table = plain_table("thinks to", *numbers, bars, right=numbers)
    for phase in phases:
        counts = histogram[phase]
        texts = (
            phase,
            str(sum(counts)),
            *(end_of(quantile(counts, part)) for part in (0.5, 0.99, 1.0)),
            _bars(counts[used.start : used.stop]),
        )
        table.add_row(*(cell(console, text) for text in texts))
    console.print(table)


def _bars(counts: Sequence[int]) -> str:
    """Draw one bar for each bin; an empty bin is a blank, and any other shows."""
    most = max(counts)
    return "".join(LEVELS[round(count / most * (len(LEVELS) - 1))] if count else " " for count in counts)
