"""
The decisions of a match, counted deal by deal: which were faults, and how long bots thought about the others.

Think times are counted by phase, in bins of about equal width on a logarithmic scale: 1, 2, 5, 10, … Times are what the
bot's clock was charged by: CPU time of its program, or wall time where that cannot be read.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING

from ladder.values.local_results import FaultReport
from referee.records.steps import DEFAULT, was_asked
from referee.seats.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.records.lines import DealLine, Step

    Histogram = Mapping[str, list[int]]
    """By phase, for each bin how many decisions fell in it; a phase that was never asked is left out."""


class Faults:
    """The faults of a match so far; takes its deals, those of each rotation in order."""

    def __init__(self) -> None:
        self.reports: list[FaultReport] = []
        self._decisions: Counter[tuple[int, int]] = Counter()
        self._rotations: set[int] = set()

    def take(self, line: DealLine) -> None:
        """Add the faults of a finished deal."""
        rotation = (line.rotation or 0) + 1
        self._rotations.add(rotation)
        for step in line.steps:
            if not was_asked(step.by):
                continue
            bot = line.seats[step.seat] if line.seats else step.seat
            self._decisions[rotation, bot] += 1
            if step.why:
                code, decision = step.by.removeprefix(DEFAULT), self._decisions[rotation, bot]
                self.reports.append(
                    FaultReport(
                        seat=bot,
                        rotation=rotation,
                        place=line.name,
                        decision=decision,
                        verdict=code,
                        why=step.why,
                        exit_code=step.exit_code,
                        oom=step.oom,
                    )
                )

    def decisions(self, bot: int) -> int:
        """Count the questions to a bot, in all rotations together."""
        return sum(count for (_, asked), count in self._decisions.items() if asked == bot)

    def never_came(self, bot: int) -> bool:
        """Tell whether a bot took its seat at none of several tables: each of them waited for a start of its own."""
        absent = {each.rotation for each in self.reports if each.seat == bot and each.verdict == Verdict.ABSENT}
        return len(self._rotations) > 1 and absent == self._rotations

    def of(self, bot: int) -> list[FaultReport]:
        """Give the faults of one bot, rotation by rotation."""
        own = [report for report in self.reports if report.seat == bot]
        return sorted(own, key=lambda report: (report.rotation, report.decision))


PHASES = ("pass", "expose", "lead", "follow", "moon")
"""The kinds of a bot's decisions; the first card of a trick is a lead, the others follow."""
EDGES_MS = tuple(step * 10**power / 100 for power in range(7) for step in (1, 2, 5))
"""Bin i ends below the i-th of these, in milliseconds: 0.01 … 50,000; the last bin has no end."""
BINS = len(EDGES_MS) + 1


def bin_of(ms: float) -> int:
    """
    Give the number of the bin for a time in milliseconds.

    >>> bin_of(0.0), bin_of(1.5), EDGES_MS[bin_of(1.5)], bin_of(60_000) == BINS - 1
    (0, 7, 2.0, True)
    """
    return bisect_right(EDGES_MS, ms)


class ThinkTimes:
    """Counts the decisions that each bot of a match was asked for, deal by deal."""

    def __init__(self, bots: int) -> None:
        """Prepare to count for *bots* bots."""
        self._found: list[dict[str, list[int]]] = [{} for _ in range(bots)]

    def take(self, line: DealLine) -> None:
        """Count the decisions of a deal."""
        cards, bots = 0, len(self._found)
        for step, took, cpu in zip(line.steps, line.took_ms, line.cpu_ms or line.took_ms, strict=True):
            phase = _phase(step, cards % bots)
            cards += step.play is not None
            if was_asked(step.by):
                bot = line.seats[step.seat] if line.seats else step.seat
                counts = self._found[bot].setdefault(phase, [0] * BINS)
                counts[bin_of(took if cpu is None else cpu)] += 1

    def of_bots(self) -> list[dict[str, list[int]]]:
        """Give what was counted so far, by the number of the bot."""
        return self._found


def quantile(counts: Sequence[int], part: float) -> int:
    """
    Find the first bin up to whose end lies that part of all decisions.

    Args:
        counts: By bin; at least one decision.
        part: From 0 to 1.
    """
    total = sum(counts)
    return next(place for place, below in enumerate(accumulate(counts)) if below >= part * total)


def end_of(place: int) -> str:
    """
    Say where a bin ends.

    >>> end_of(-1), end_of(0), end_of(9), end_of(BINS - 1)
    ('0', '0.01 ms', '10 ms', 'no end')
    """
    if place < 0:
        return "0"
    if place >= len(EDGES_MS):
        return "no end"
    edge = EDGES_MS[place]
    return f"{edge / 1000:g} s" if edge >= 1000 else f"{edge:g} ms"


def used_bins(histogram: Mapping[str, Sequence[int]]) -> range:
    """Give the bins from the first to the last that any decision fell in; empty without decisions."""
    used = [place for counts in histogram.values() for place, count in enumerate(counts) if count]
    return range(min(used), max(used) + 1) if used else range(0)


def added(one: Histogram, other: Histogram) -> dict[str, list[int]]:
    """Add both histograms."""
    nothing = [0] * BINS
    return {
        phase: [a + b for a, b in zip(one.get(phase, nothing), other.get(phase, nothing), strict=True)]
        for phase in PHASES
        if phase in one or phase in other
    }


def _phase(step: Step, place_in_trick: int) -> str:
    if step.play is not None:
        return "follow" if place_in_trick else "lead"
    if step.moon is not None:
        return "moon"
    return "pass" if step.passed is not None else "expose"
