"""Two bots against each other on boards: whole matches of the referee, with clocks that no bot exceeds."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib.util
import statistics
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pigpen import Bot, ClockSetting
from pigpen.rules import Rules
from referee.match.formats import Format, MatchSpec
from referee.match.match import Match
from referee.records.lines import AnyLine, DealLine
from referee.records.steps import BY_BOT, was_asked
from referee.seats.seat import InlineSeat

BOTS = ("random", "cautious", "counting", "sampling", "exact", "tree")
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
