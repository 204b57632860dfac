"""
Two bots against each other on boards: whole matches of the referee, with clocks that no bot exceeds.

    python -m benchmarks.duels
    python -m benchmarks.duels --boards 1000 --rules gongzhu --rules hearts --pair counting:cautious

It shows how strong the sample bots are: each against weaker ones, in every variant. A figure says by how many points
per deal the first bot is better than the second one, ± one standard error, when both have two seats each (at five seats
the first has three); in brackets their ratio. A board, played from every seat, is one observation. Bots take as long as
they like, and the same seed gives the same table wherever the SDK is accelerated.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib.util
import os
import statistics
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import product
from multiprocessing import get_context
from pathlib import Path

from benchmarks.part_runner import machine
from benchmarks.report import show
from pigpen import Bot, ClockSetting
from pigpen.rules import PRESETS, Rules, seed_from
from referee.match.formats import Format, MatchSpec
from referee.match.match import Match
from referee.records.lines import AnyLine, DealLine
from referee.records.steps import BY_BOT, was_asked
from referee.seats.seat import InlineSeat

BOTS = ("random", "cautious", "counting", "uct", "sampling", "exact", "tree")
"""The sample bots, the weakest first."""

FOLDER = Path(__file__).parents[1] / "sample_bots"

PATIENT = ClockSetting(bank=3600.0, increment=3600.0, limit=3600.0, start_up=10.0)
"""More time than any bot uses: a bot that looks at the clock plays the same on every machine."""

BotMaker = Callable[[], Bot]


def load_bot(name: str) -> BotMaker:
    """Find the bot class in ``sample_bots/<name>/bot.py``."""
    spec = importlib.util.spec_from_file_location(f"sample_bots_{name}", FOLDER / name / "bot.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(FOLDER / name / "bot.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    maker: BotMaker = getattr(module, name.capitalize())
    return maker


@dataclass
class Duel:
    """Results of one bot, in every other seat, against another one in the seats between."""

    boards: defaultdict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    """Points per deal by which it did better, for each deal of each board."""
    took: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))
    """Milliseconds that each decision took for which either was asked."""
    faults: int = 0

    def take(self, line: DealLine, rules: Rules) -> None:
        """Count one deal; bots with even numbers are the first one's."""
        seats = line.seats or range(rules.players)
        sides = [[score for bot, score in zip(seats, line.scores, strict=True) if bot % 2 == side] for side in (0, 1)]
        sign = -1 if rules.low_is_better else 1
        self.boards[line.deal].append(sign * (statistics.fmean(sides[0]) - statistics.fmean(sides[1])))
        for step, took in zip(line.steps, line.took_ms, strict=True):
            if was_asked(step.by):
                self.took[seats[step.seat] % 2].append(took)
                self.faults += step.by != BY_BOT

    def better(self) -> tuple[float, float]:
        """Compute by how many points per deal it did better, and the standard error; a board is one observation."""
        return mean_and_error([statistics.fmean(deals) for deals in self.boards.values()])


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Compute mean and standard error of two or more values."""
    return statistics.fmean(values), statistics.stdev(values) / len(values) ** 0.5


def in_errors(mean: float, error: float) -> str:
    """Say how many standard errors a mean is."""
    return f"{mean / error:+.1f}" if error else "–"


def number_of_boards(text: str) -> int:
    """
    Read what stands after ``--boards``.

    Raises:
        argparse.ArgumentTypeError: If that is no number of boards that has a standard error.
    """
    if not text.isdecimal() or int(text) < 2:
        raise argparse.ArgumentTypeError(f"{text}: take 2 or more")
    return int(text)


def duel(rules: Rules, one: BotMaker, other: BotMaker, boards: int, seed: bytes) -> Duel:
    """Play *boards* boards; at a table with an odd number of seats *one* has one seat more."""
    found = Duel()
    makers = [(one, other)[bot % 2] for bot in range(rules.players)]

    @contextlib.asynccontextmanager
    async def open_table(number: int) -> AsyncIterator[list[InlineSeat]]:
        yield [InlineSeat(make()) for make in makers]

    def write(line: AnyLine) -> None:
        if isinstance(line, DealLine):
            found.take(line, rules)

    names = tuple(("one", "other")[bot % 2] for bot in range(rules.players))
    asyncio.run(Match(MatchSpec(rules, names, Format(boards=boards), PATIENT, seed), open_table, write).play())
    return found


PAIRS = (
    "cautious:random", "counting:cautious", "sampling:counting", "exact:counting", "tree:counting",
)  # fmt: skip


def fight(variant: str, pair: str, boards: int, seed: str) -> Duel:
    """Play one cell of the table."""
    one, other = pair.split(":")
    return duel(PRESETS[variant], load_bot(one), load_bot(other), boards, seed_from(seed))


def cell(found: Duel) -> str:
    """Write one figure."""
    mean, error = found.better()
    digits = max(0, 2 - len(f"{abs(error):.0f}")) if error >= 1 else 2
    return f"{mean:+.{digits}f} ± {error:.{digits}f} ({in_errors(mean, error)})"


def think_times(duels: Iterable[tuple[str, Duel]]) -> list[tuple[str, ...]]:
    """Give for each bot the median, the 99th percentile and the largest of its times per decision, in ms."""
    times: dict[str, list[float]] = {}
    for pair, found in duels:
        for bot, took in zip(pair.split(":"), found.took, strict=True):
            times.setdefault(bot, []).extend(took)
    rows = []
    for bot in sorted(times, key=BOTS.index):
        took = sorted(times[bot])
        rows.append(
            (bot, *(f"{each:.2f}" for each in (statistics.median(took), took[len(took) * 99 // 100], took[-1])))
        )
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("--boards", type=number_of_boards, default=40)
    parser.add_argument("--seed", default="strength", help="any text; the same text gives the same table")
    parser.add_argument("--rules", action="append", choices=sorted(PRESETS), help="may be repeated; default all")
    parser.add_argument("--pair", action="append", choices=[f"{one}:{other}" for one, other in product(BOTS, BOTS)],
                        metavar="STRONGER:WEAKER", help="may be repeated; default " + " ".join(PAIRS))  # fmt: skip
    options = parser.parse_args()
    variants, pairs = options.rules or list(PRESETS), options.pair or list(PAIRS)
    cells = list(product(variants, pairs))
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(fight, *each, options.boards, options.seed) for each in cells]
        found = [each.result() for each in waiting]
    texts = dict(zip(cells, map(cell, found), strict=True))
    print(machine())
    show(
        f"Points per deal better, {options.boards} boards ± one standard error (in standard errors)",
        ("", *(pair.replace(":", " > ") for pair in pairs)),
        [(variant, *(texts[variant, pair] for pair in pairs)) for variant in variants],
    )
    times = think_times(zip([pair for _, pair in cells], found, strict=True))
    show("Milliseconds per decision", ("", "median", "99 %", "largest"), times)


if __name__ == "__main__":
    main()
