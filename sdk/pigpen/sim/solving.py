"""
Endings with all hands open, solved exactly.

The solution is max^n (Luckhardt and Irani, 1986): each seat in turn plays the card that is best for it, knowing that
the others do the same. Best is the largest margin: its score less the mean of all, with the sign chosen so that more is
better. With partners that is minimax between two teams. Among cards that are equally good for their player, the first
in canonical order is played, even if they differ for the other seats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pigpen.rules.actions import MoonChoice, Phase
from pigpen.rules.cards import Card, cards_in
from pigpen.rules.errors import PigpenError
from pigpen.sim import native

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pigpen.rules.deal import Deal
    from pigpen.rules.model import Rules

Scores = tuple[int, ...]
Memory = dict[tuple[object, ...], Scores]


class Solution(NamedTuple):
    """
    The result of an ending in which every seat plays as well as it can.

    >>> from pigpen.rules import PRESETS, Deal, deal_hands
    >>> from pigpen import solve
    >>> rules = PRESETS["hearts"]
    >>> deal = Deal(rules, deal_hands(rules, bytes(32), 3), number=3)
    >>> while len(deal.plays) < 44:
    ...     deal.apply(deal.turn, deal.default_action(deal.turn))
    ...
    >>> solution = solve(deal)
    >>> solution.card, solution.scores
    (Card('9S'), (6, 3, 13, 4))
    >>> solution.scores == solution.choices[solution.card]
    True
    """

    choices: dict[Card, tuple[int, ...]]
    """Score of each seat at the end, for each card that may be played now."""
    card: Card
    """The best of these cards for the seat whose turn it is."""

    @property
    def scores(self) -> tuple[int, ...]:
        """Score of each seat at the end, if the best card is played now."""
        return self.choices[self.card]


class TooLong(PigpenError):
    """
    An ending that needs more work than was allowed.

    >>> from pigpen.rules import PRESETS, Deal, deal_hands
    >>> from pigpen import TooLong, solve
    >>> rules = PRESETS["hearts"]
    >>> deal = Deal(rules, deal_hands(rules, bytes(32), 3), number=3)
    >>> try:
    ...     solve(deal, limit=100)
    ... except TooLong:
    ...     print("play it by a rule of thumb")
    ...
    play it by a rule of thumb
    """


def margin(rules: Rules, scores: Sequence[float], seat: int) -> float:
    """
    Return the margin of *seat* over the mean of all seats, times the number of seats. More is better in every variant.

    >>> from pigpen import margin
    >>> from pigpen.rules import PRESETS
    >>> margin(PRESETS["hearts"], (0, 26, 26, 26), seat=0)
    78
    >>> margin(PRESETS["gongzhu"], (0, 26, 26, 26), seat=0)
    -78
    """
    ahead = rules.players * scores[seat] - sum(scores)
    return -ahead if rules.low_is_better else ahead


def solve(deal: Deal, limit: int | None = None) -> Solution:
    """
    Solve *deal*, which is in `Phase.PLAY`, with all hands open. The deal is not changed.

    >>> from pigpen.rules import PRESETS, Deal, deal_hands
    >>> from pigpen import margin, solve
    >>> rules = PRESETS["hearts"]
    >>> deal = Deal(rules, deal_hands(rules, bytes(32), 3), number=3)
    >>> while len(deal.plays) < 44:
    ...     deal.apply(deal.turn, deal.default_action(deal.turn))
    ...
    >>> {str(card): margin(rules, scores, deal.turn) for card, scores in solve(deal).choices.items()}
    {'9S': 14, 'JS': 14}

    Every seat plays for its margin over the mean of all seats (its team's, with partners), and knows that the others do
    so too: max^n, and minimax between partners. Among cards equally good for their player the first in canonical order
    is played. The time grows some five times with each trick: five tricks before the end the accelerated engine needs
    about 10 ms, sometimes ten times that; without it, seconds.

    Args:
        deal: The deal from which to start.
        limit: Largest number of positions between tricks to search, as a limit of time; None: no limit.

    Raises:
        TooLong: If *limit* was not enough.
        ValueError: If no card is to be played.
    """
    if deal.phase is not Phase.PLAY:
        raise ValueError("only a deal in which a card is to be played can be solved")
    engine = native.engine()
    if engine:
        rows = engine.solve(deal, limit)
        if rows is None:
            raise TooLong("the ending was not solved within the limit")
        choices = dict(zip(deal.legal(deal.turn), rows, strict=True))
    else:
        choices = _Solver(deal, limit).choices(deal)
    best = max(choices, key=lambda card: margin(deal.rules, choices[card], deal.turn))
    return Solution(choices, best)


class _Solver:
    """Remembers positions between tricks: two that differ only in worthless cards taken are the same."""

    def __init__(self, deal: Deal, limit: int | None) -> None:
        plan = deal.rules.plan
        self._counting = plan.scoring | plan.doubler | plan.moon | plan.pig
        self._memory: Memory = {}
        self._limit = limit

    def choices(self, deal: Deal) -> dict[Card, Scores]:
        choices = {}
        for card in cards_in(deal.playable):
            after = deal.copy()
            after.play(card)
            choices[card] = self._solve(after)
        return choices

    def _solve(self, deal: Deal) -> Scores:
        if deal.phase is not Phase.PLAY:
            return _final(deal)
        if len(deal.plays) % deal.rules.players:
            return self._best(deal)
        key = (
            tuple(deal.hands), tuple([taken & self._counting for taken in deal.taken]), deal.turn, deal.is_broken,
            deal.barred,
        )  # fmt: skip
        if key not in self._memory:
            if self._limit is not None and len(self._memory) >= self._limit:
                raise TooLong("the ending was not solved within the limit")
            self._memory[key] = self._best(deal)
        return self._memory[key]

    def _best(self, deal: Deal) -> Scores:
        return max(self.choices(deal).values(), key=lambda scores: margin(deal.rules, scores, deal.turn))


def _final(deal: Deal) -> Scores:
    """Score the end: the shooter who may choose takes what leaves it further ahead; the −26 if that is the same."""
    if deal.phase is Phase.OVER:
        return deal.scores()
    outcomes = []
    for choice in (MoonChoice.SUBTRACT, MoonChoice.ADD):
        after = deal.copy()
        after.apply(deal.turn, choice)
        outcomes.append(after.scores())
    return max(outcomes, key=lambda scores: margin(deal.rules, scores, deal.turn))
