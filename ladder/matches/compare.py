"""
The test whether a new version of a bot is better than the old one.

Both play the same boards, each from every seat, against the same opponents, who get the same seeds: what the two do
differently is all that can make a difference. Every board is one observation of a test that may stop after any of them.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ladder.ratings.sprt import MeanEstimate, SequentialTest, SprtDecision
from pigpen.rules import seed_from
from referee.match.formats import DEFAULT_CLOCK, Format, MatchSpec, by_bot
from referee.records.lines import DealLine, ResultLine

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from ladder.ratings.sprt import Hypotheses
    from pigpen import ClockSetting
    from pigpen.rules import Rules
    from referee.records.lines import AnyLine

    PlayMatch = Callable[[MatchSpec, Sequence[int], Callable[[AnyLine], None]], Awaitable[object]]
    """Plays a match of the bots with these numbers: 0 is the old one, 1 the new one, from 2 on the opponents."""

OLD, NEW, FIRST_OPPONENT = 0, 1, 2
BATCH = 8
"""Boards of one match: between two of them the test is looked at, and the instances of all bots are fresh ones."""


@dataclass(frozen=True)
class ComparisonPlan:
    """The plan of a comparison."""

    rules: Rules
    names: tuple[str, ...]
    """The old bot, the new one, the opponents."""
    hypotheses: Hypotheses
    boards: int
    """The most boards to play."""
    seed: bytes
    clock: ClockSetting = DEFAULT_CLOCK

    def seating(self, candidate: int) -> tuple[int, ...]:
        """Seat a match: *candidate* in the first seat, with partners in the third one too, and the opponents."""
        opponents = range(FIRST_OPPONENT, len(self.names))
        if self.rules.partners:
            return candidate, opponents[0], candidate, opponents[-1]
        return candidate, *opponents

    def match(self, candidate: int, batch: int, boards: int) -> MatchSpec:
        """Give the match of *candidate* in batch number *batch*: the same cards and seeds for both candidates."""
        names = tuple(f"{seat}:{self.names[bot]}" for seat, bot in enumerate(self.seating(candidate)))
        return MatchSpec(self.rules, names, Format(boards=boards), self.clock, seed_from(f"{self.seed.hex()}/{batch}"))


@dataclass
class Comparison:
    """The results of a comparison so far."""

    test: SequentialTest
    deals: int = 0
    """Deals played, by both candidates together."""
    differing: int = 0
    """Boards on which the candidates' points are not the same."""
    faults: list[int] = field(default_factory=lambda: [0, 0, 0])
    """Of the old bot, of the new one, of the opponents."""

    @property
    def boards(self) -> int:
        """Boards played."""
        return len(self.test.values)

    @property
    def decision(self) -> SprtDecision:
        """The decision of the test."""
        return self.test.decision

    @property
    def estimate(self) -> MeanEstimate:
        """Mean points per deal by which the new bot is better, turned so that more is better."""
        return MeanEstimate.of(self.test.values)


async def compare(plan: ComparisonPlan, play: PlayMatch, look: Callable[[Comparison], None]) -> Comparison:
    """
    Play until the test decides, or the most boards are played.

    Args:
        plan: What is compared.
        play: Plays one match.
        look: Called with what has come out so far, after each batch of boards.
    """
    found = Comparison(SequentialTest(plan.hypotheses))
    batch = 0
    while found.boards < plan.boards and found.decision is SprtDecision.OPEN:
        boards = min(BATCH, plan.boards - found.boards)
        old, new = [await _points(plan, play, found, candidate, batch, boards) for candidate in (OLD, NEW)]
        sign = -1 if plan.rules.low_is_better else 1
        found.test.add(*(sign * (ours - theirs) / plan.rules.players for ours, theirs in zip(new, old, strict=True)))
        found.differing += sum(ours != theirs for ours, theirs in zip(new, old, strict=True))
        batch += 1
        look(found)
    return found


async def _points(
    plan: ComparisonPlan, play: PlayMatch, found: Comparison, candidate: int, batch: int, boards: int
) -> list[int]:
    """Give the candidate's points on each board of a batch, over all rotations."""
    points: defaultdict[int, int] = defaultdict(int)
    seating = plan.seating(candidate)

    def take(line: AnyLine) -> None:
        if isinstance(line, DealLine) and line.seats is not None:
            points[line.deal] += by_bot(line.scores, line.seats)[0]
            found.deals += 1
        elif isinstance(line, ResultLine):
            for row in line.results:
                found.faults[min(seating[row.seat], FIRST_OPPONENT)] += row.faults

    await play(plan.match(candidate, batch, boards), seating, take)
    return [points[board] for board in range(boards)]
