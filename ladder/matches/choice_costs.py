"""Costs of the choices of a bot, by phase, beside those of the bots that it met: a sample of them, estimated."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

from ladder.matches.compared_records import phase_ends
from ladder.matches.estimate import Effort, TooManyChoices, cost_of
from ladder.matches.why import unforced
from ladder.ratings.means import Mean
from ladder.values.bot_comparison import DealCost, PhaseCosts
from pigpen.rules import Phase
from referee.records.steps import BY_BOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pigpen.rules import Rules
    from referee.records.lines import DealLine
    from referee.records.recorded import Recorded
    from referee.replay.deal_replay import RecordedDecision

MAX_CARDS, MAX_OTHERS = 150, 50
"""
Decisions of a part that are estimated at most: of the bot, and again of all others together.

Those where no card is played take longer.

Many decisions with few deals each: costs differ more from decision to decision than from deal to deal.
"""
MIN_ESTIMATES = 10
"""Estimates that a mean takes."""
PHASES: dict[Phase, Literal["pass", "expose", "play", "moon"]] = {
    Phase.PASS: "pass",
    Phase.EXPOSE: "expose",
    Phase.PLAY: "play",
    Phase.MOON: "moon",
}
EFFORT = Effort(cards=200, searched=0, sealed=24, first=600)
"""Some 4 ms for a card, 40 ms for a pass: 5 to 10 s for all."""


class Part(NamedTuple):
    """A part of the deal; parts sort in the order of the deal."""

    phase: Phase
    first: int = 0
    """The first trick, counted from 1; 0 where no card is played."""
    last: int = 0


Key = tuple[bool, Part]
"""True if the bot itself decided; and the part of the deal."""


class ChoiceCosts:
    """Decisions of a bot and of the others at its tables, drawn by lot from some matches."""

    def __init__(self, bot: str) -> None:
        """
        Begin without any.

        Args:
            bot: What names the bot among those of each match.
        """
        self._bot = bot
        self._lots: defaultdict[Key, list[tuple[int, str, RecordedDecision]]] = defaultdict(list)
        self._counts: Counter[Key] = Counter()
        self._deals: Counter[bool] = Counter()

    def take_all(self, recorded: Recorded, lines: Iterable[DealLine], source: str, bots: Sequence[str]) -> None:
        """
        Add the decisions of a match that left a choice and that the bots themselves took.

        Args:
            recorded: The match.
            lines: Some of its deals.
            source: The match, as people name it.
            bots: What names each bot, by its number in the match.
        """
        is_own = [name == self._bot for name in bots]
        for line in lines:
            self._deals.update(is_own)
            for decision in unforced(recorded, [line], range(len(bots))):
                if decision.step.by == BY_BOT:
                    self._offer((is_own[decision.bot], _part(decision)), source, decision)

    def found(self, advance: Callable[[int, int], None] = lambda done, steps: None) -> tuple[PhaseCosts, ...]:
        """
        Estimate the decisions drawn: phases in the order of a deal, those with too few decisions of the bot left out.

        Args:
            advance: Called after each phase, with how many are done and how many there are.
        """
        return tuple(self._phases(advance))

    def _phases(self, advance: Callable[[int, int], None]) -> Iterator[PhaseCosts]:
        parts = sorted({part for _, part in self._lots})
        for done, part in enumerate(parts, 1):
            own, others = (self._cost((is_own, part)) for is_own in (True, False))
            advance(done, len(parts))
            if own is not None:
                yield PhaseCosts(phase=PHASES[part.phase], first=part.first, last=part.last, own=own, others=others)

    def _offer(self, key: Key, source: str, decision: RecordedDecision) -> None:
        """Keep the decisions with the highest lots; the same decisions give the same lots."""
        self._counts[key] += 1
        ticket = decision.seed("costs"), source, decision
        drawn = self._lots[key]
        if len(drawn) < (MAX_CARDS if key[1].phase is Phase.PLAY else MAX_OTHERS):
            heapq.heappush(drawn, ticket)
        elif ticket[:2] > drawn[0][:2]:
            heapq.heapreplace(drawn, ticket)

    def _cost(self, key: Key) -> DealCost | None:
        costs = []
        for *_, decision in self._lots[key]:
            try:
                costs.append(cost_of(decision.view(), decision.chosen, decision.seed("cost"), EFFORT))
            except TooManyChoices:
                continue
        if len(costs) < MIN_ESTIMATES:
            return None
        mean = Mean.of(costs)
        often = self._counts[key] / self._deals[key[0]]
        return DealCost(
            mean=round(often * mean.value, 4),
            error=round(often * mean.error, 4),
            estimated=mean.n,
            often=round(often, 4),
        )


def _part(decision: RecordedDecision) -> Part:
    phase, rules = decision.before.phase, decision.before.rules
    if phase is not Phase.PLAY:
        return Part(phase)
    trick = len(decision.before.plays) // rules.players + 1
    return next(Part(phase, last_before + 1, last) for last_before, last in _parts(rules) if trick <= last)


def _parts(rules: Rules) -> Iterator[tuple[int, int]]:
    return pairwise((0, *phase_ends(rules.hand_size)))
