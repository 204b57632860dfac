"""The result of a match: all of it follows from the deals of its record, in any order."""

from __future__ import annotations

import math
import statistics
from array import array
from collections import defaultdict
from typing import TYPE_CHECKING

from referee.match.formats import by_bot
from referee.records.lines import BotResult, ResultLine
from referee.records.steps import BY_BOT, DEFAULT, was_asked
from referee.seats.verdict import Verdict, is_taken_over

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from pigpen.rules import Rules
    from referee.match.formats import Format
    from referee.records.lines import DealLine, ThinkTimes


class Tally:
    """Adds up the deals of a match."""

    def __init__(self, rules: Rules, bots: Sequence[str], form: Format, people: Container[int] = ()) -> None:
        """
        Begin before the first deal.

        Args:
            rules: The variant.
            bots: The names of the bots.
            form: The format.
            people: The numbers of those that are people: their seats are not taken over.
        """
        self._people = people
        self._rules = rules
        self._bots = bots
        self._form = form
        self._identity = tuple(range(len(bots)))
        self._tables = form.table_numbers(rules)
        self._points: dict[int, list[int]] = {}
        self._faults: defaultdict[tuple[int, int], list[Verdict]] = defaultdict(list)
        self._times = [array("d") for _ in bots]
        self._in_cpu_time: set[int] = set()

    def add(self, line: DealLine) -> None:
        """Take the next deal."""
        steps = [(step.seat, step.by, took, cpu) for step, took, cpu in line.timed_steps()]
        self.count(line.rotation or 0, line.deal, line.seats or self._identity, line.scores, steps)

    def count(
        self,
        table: int,
        deal: int,
        seats: Sequence[int],
        scores: tuple[int, ...],
        steps: Iterable[tuple[int, str, float, float | None]],
    ) -> None:
        """
        Take the next deal, in numbers.

        Args:
            table: Number of the table.
            deal: Number of the deal at that table.
            seats: Number of the bot in each seat.
            scores: Of each seat.
            steps: Of each step: seat, `by`, seconds by the referee's clock, seconds of CPU time or None.
        """
        points = self._points.setdefault(deal, [0] * len(self._bots))
        for bot, score in enumerate(by_bot(scores, tuple(seats))):
            points[bot] += score
        for seat, by, took, cpu in steps:
            if not was_asked(by):
                continue
            bot = seats[seat]
            self._times[bot].append(took if cpu is None else cpu)
            if cpu is not None:
                self._in_cpu_time.add(bot)
            if by != BY_BOT:
                self._faults[table, bot].append(Verdict(by.removeprefix(DEFAULT)))

    def result(self, seed: bytes) -> ResultLine:
        """Sum up what the deals add up to, when all of them have been played."""
        deals = len(self._points) * len(self._tables)
        totals = tuple(sum(points[bot] for points in self._points.values()) for bot in self._identity)
        taken_over = [self._is_taken_over(bot) for bot in self._identity]
        standing = places(self._rules, totals, taken_over)
        return ResultLine(
            seed=seed.hex(),
            deals=deals,
            results=tuple(
                BotResult(
                    bot=self._bots[bot],
                    seat=bot,
                    place=standing[bot],
                    total=totals[bot],
                    points_per_deal=totals[bot] / deals,
                    standard_error=self._error(bot),
                    faults=sum(len(self._faults[table, bot]) for table in self._tables),
                    taken_over=taken_over[bot],
                    timed="cpu" if bot in self._in_cpu_time else "wall",
                    think_ms=_think_ms(self._times[bot]),
                )
                for bot in self._identity
            ),
        )

    def _is_taken_over(self, bot: int) -> bool:
        return bot not in self._people and any(is_taken_over(self._faults[table, bot]) for table in self._tables)

    def _error(self, bot: int) -> float | None:
        """Estimate the standard error of points per deal, if the deals have nothing in common but their seats."""
        if self._form.count(self._rules) is None:
            return None
        return clustered_error([self._points[deal][bot] for deal in sorted(self._points)], len(self._tables))


def clustered_error(sums: Sequence[int], size: int) -> float | None:
    """
    Estimate the standard error of the mean points per deal; None for less than two clusters.

    Args:
        sums: Points in each cluster. The seatings of a board share its cards, so a board is one observation.
        size: Deals in each cluster.
    """
    if len(sums) < 2:
        return None
    return statistics.stdev(sums) / (size * math.sqrt(len(sums)))


def places(rules: Rules, totals: Sequence[int], taken_over: Sequence[bool]) -> tuple[int, ...]:
    """Rank bots by total; equal bots share a place; a bot that was taken over comes last, with its partner if any."""
    offends = [any(taken_over[mate] for mate in rules.teammates(bot)) for bot in range(len(totals))]
    sign = 1 if rules.low_is_better else -1
    keys = [(offender, sign * total) for offender, total in zip(offends, totals, strict=True)]
    return tuple(1 + sum(other < key for other in keys) for key in keys)


def _think_ms(times: Sequence[float]) -> ThinkTimes:
    times = times or (0.0,)
    return {"median": round(statistics.median(times) * 1000, 3), "worst": round(max(times) * 1000, 3)}
