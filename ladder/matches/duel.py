"""
A duel of two bots: by how many points a deal one is better than the other, at tables where only these two sit.

Every other seat is the one bot's, or with `alone` a single seat. Each board is played in all rotations, so both bots
hold the same cards in the same seats. A board is one observation.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from ladder.matches.compare import BATCH
from ladder.ratings.elo import SCALE, score_of, steepness
from ladder.ratings.sprt import MeanEstimate
from pigpen.rules import seed_from
from referee.match.formats import Format, MatchSpec, by_bot
from referee.records.lines import DealLine, ResultLine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ladder.matches.compare import PlayMatch
    from pigpen import ClockSetting
    from pigpen.rules import Rules
    from referee.records.lines import AnyLine


@dataclass(frozen=True)
class DuelPlan:
    """The plan of one or more duels, each of which is played on the same boards."""

    rules: Rules
    names: tuple[str, ...]
    """The bots."""
    pairs: tuple[tuple[int, int], ...]
    """Numbers of the bots of each duel."""
    boards: int
    """The most boards to play in a duel."""
    seed: bytes
    clock: ClockSetting
    alone: bool = False
    """True if the one bot has a single seat."""
    until_decided: bool = False
    """True if a duel ends as soon as one bot is shown to be better."""

    def seating(self, pair: tuple[int, int]) -> tuple[int, ...]:
        """Seat a match: with partners every other seat makes a team."""
        return tuple(pair[min(seat, 1) if self.alone else seat % 2] for seat in range(self.rules.players))

    def match(self, pair: tuple[int, int], batch: int, boards: int) -> MatchSpec:
        """Give the match of a pair in batch number *batch*: the same cards for each pair."""
        names = tuple(f"{seat}:{self.names[bot]}" for seat, bot in enumerate(self.seating(pair)))
        return MatchSpec(self.rules, names, Format(boards=boards), self.clock, seed_from(f"{self.seed.hex()}/{batch}"))


class EloEstimate(NamedTuple):
    """A difference in Elo."""

    difference: float
    error: float
    """One standard error."""


@dataclass
class Duel:
    """The results of a duel so far."""

    pair: tuple[int, int]
    values: list[float] = field(default_factory=list)
    """Points a deal by which the one bot is better, board by board; more is better in every variant."""
    shares: list[float] = field(default_factory=list)
    """Part of the comparisons with the other bot's seats that it wins, board by board; a tie is half a win."""
    deals: int = 0
    faults: list[int] = field(default_factory=lambda: [0, 0])
    """Of the one bot and of the other."""

    @property
    def boards(self) -> int:
        """Boards played."""
        return len(self.values)

    @property
    def estimate(self) -> MeanEstimate:
        """Mean of the points a deal."""
        return MeanEstimate.of(self.values)

    @property
    def is_decided(self) -> bool:
        """True if one bot is shown to be better: the interval that holds at any time is on one side of 0."""
        interval = self.estimate.interval
        return interval is not None and (interval[0] > 0 or interval[1] < 0)

    @property
    def elo(self) -> EloEstimate | None:
        """
        Difference in Elo for which boards are expected to be won as they were, on the scale of a ladder.

        None if one bot won every comparison or each of them: no difference explains that.
        """
        share = statistics.fmean(self.shares)
        if not 0 < share < 1:
            return None
        scale = SCALE / steepness(1)
        error = statistics.stdev(self.shares) / math.sqrt(len(self.shares))
        return EloEstimate(
            scale * math.log10(share / (1 - share)), scale * error / (math.log(10) * share * (1 - share))
        )

    def take(self, points: Sequence[int], rules: Rules, seating: Sequence[int]) -> None:
        """Add a board, of which each seat of the table has *points* over all rotations."""
        sign = -1 if rules.low_is_better else 1
        one, other = (
            [sign * each for each, bot in zip(points, seating, strict=True) if bot == wanted] for wanted in self.pair
        )
        self.values.append((statistics.fmean(one) - statistics.fmean(other)) / rules.players)
        self.shares.append(statistics.fmean(score_of(theirs, ours) for ours, theirs in product(one, other)))


async def duel(plan: DuelPlan, pair: tuple[int, int], play: PlayMatch, look: Callable[[Duel], None]) -> Duel:
    """
    Play one duel until it is decided, if the plan says so, or the most boards are played.

    Args:
        plan: What is played.
        pair: The bots.
        play: Plays one match.
        look: Called with what has come out so far, after each batch of boards.
    """
    found, seating = Duel(pair), plan.seating(pair)
    points: defaultdict[int, list[int]] = defaultdict(lambda: [0] * plan.rules.players)

    def take(line: AnyLine) -> None:
        if isinstance(line, DealLine) and line.seats is not None:
            points[line.deal] = [
                sum(each) for each in zip(points[line.deal], by_bot(line.scores, line.seats), strict=True)
            ]
            found.deals += 1
        elif isinstance(line, ResultLine):
            for row in line.results:
                found.faults[pair.index(seating[row.seat])] += row.faults

    batch = 0
    while found.boards < plan.boards and not (plan.until_decided and found.boards and found.is_decided):
        boards = min(BATCH, plan.boards - found.boards)
        points.clear()
        await play(plan.match(pair, batch, boards), seating, take)
        for board in range(boards):
            found.take(points[board], plan.rules, seating)
        batch += 1
        look(found)
    return found
