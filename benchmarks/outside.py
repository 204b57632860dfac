"""
How strong the sample bots are against an outside yardstick: OpenSpiel's Monte Carlo tree search.

    python -m benchmarks.outside
    python -m benchmarks.outside --boards 40 --simulations 1000 --rules hearts-jack

examples/openspiel seats it: it searches 20 deals that fit what its seat knows, and sees all hands of each. Whole
matches of the referee with bots in this process, on boards, two chairs each. Nobody is late, whatever the machine does.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import statistics
from collections import defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from benchmarks.machine import machine
from benchmarks.report import show
from benchmarks.strength import BOTS, load_bot, measure
from examples.openspiel import bot as openspiel
from pigpen import ClockSetting
from pigpen.rules import PRESETS, Rules, seed_from
from referee.formats import Format
from referee.match import Match, MatchSpec
from referee.record import AnyLine, DealLine
from referee.seat import InlineSeat

PATIENT = ClockSetting(bank=3600.0, increment=3600.0, limit=3600.0, start_up=10.0)


@dataclass
class Duel:
    """What a sample bot did against OpenSpiel's."""

    boards: defaultdict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    """Points per deal by which it did better, for each deal of each board."""
    took: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))
    """How long each decision of either took, in ms."""
    faults: int = 0

    def take(self, line: DealLine, rules: Rules) -> None:
        """Count one deal; bots with even numbers are the sample's."""
        seats = line.seats or range(rules.players)
        sides = [[score for bot, score in zip(seats, line.scores, strict=True) if bot % 2 == side] for side in (0, 1)]
        sign = -1 if rules.low_is_better else 1
        self.boards[line.deal].append(sign * (statistics.fmean(sides[0]) - statistics.fmean(sides[1])))
        for step, took in zip(line.steps, line.took_ms, strict=True):
            self.took[seats[step.seat] % 2].append(took)
            self.faults += step.by != "bot"


def duel(rules: Rules, sample: str, boards: int, seed: bytes) -> Duel:
    """Play so many boards."""
    found = Duel()

    @contextlib.asynccontextmanager
    async def open_table(number: int) -> AsyncIterator[list[InlineSeat]]:
        yield [InlineSeat(make()) for make in (load_bot(sample), openspiel.OpenSpiel) * 2]

    def write(line: AnyLine) -> None:
        if isinstance(line, DealLine):
            found.take(line, rules)

    spec = MatchSpec(rules, (sample, "openspiel") * 2, Format(boards=boards), PATIENT, seed)
    asyncio.run(Match(spec, open_table, write).play())
    return found


def row(sample: str, found: Duel) -> tuple[str, ...]:
    """One line of the table."""
    mean, error = measure([statistics.fmean(deals) for deals in found.boards.values()])
    ours, theirs = (f"{statistics.median(times):.1f} ({max(times):.0f})" for times in found.took)
    return sample, f"{mean:+.2f} ± {error:.2f}", f"{mean / error:+.1f}", ours, theirs, str(found.faults)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("--boards", type=int, default=20)
    parser.add_argument("--seed", default="outside", help="any text; the same text gives the same boards")
    parser.add_argument("--rules", default="hearts", choices=sorted(openspiel.GAMES))
    parser.add_argument("--simulations", type=int, default=openspiel.SIMULATIONS, help="in each of the 20 deals")
    parser.add_argument("--bot", action="append", choices=BOTS, help="may be repeated; default all")
    options = parser.parse_args()
    openspiel.SIMULATIONS = options.simulations
    rules, seed = PRESETS[options.rules], seed_from(options.seed)
    rows = [row(sample, duel(rules, sample, options.boards, seed)) for sample in options.bot or BOTS]
    print(machine())
    show(
        f"{options.rules}: points per deal better than OpenSpiel's MCTS with {openspiel.DEALS} × "
        f"{options.simulations:,} simulations, {options.boards} boards (± one standard error)",
        ("", "better by", "in se", "ms (most)", "its ms (most)", "faults"),
        rows,
    )


if __name__ == "__main__":
    main()
