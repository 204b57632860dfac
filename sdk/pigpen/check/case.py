"""One case: a deal at the decision that a bot must make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pigpen.values.notices import DealResult
from pigpen.values.view import View

if TYPE_CHECKING:
    from collections.abc import Generator

    from pigpen.rules import Action, Deal, Rules

TOTALS = (40, -15) * 4
"""Totals of the seats before each deal: above and below zero, and equal for partners."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """
    A decision, or a whole deal of decisions, that a bot must be able to make.

    >>> from pigpen.check import cases_of
    >>> from pigpen.rules import PRESETS
    >>> case = next(case for case in cases_of(PRESETS["hearts"]) if case.name == "follow suit")
    >>> case.deal.phase.name, case.seat == case.deal.turn
    ('PLAY', True)
    >>> case.view(case.deal, decision=1, limit=1.0, bank=60.0).led.name
    'CLUBS'
    """

    name: str
    """The case in a few words; no other case of the same variant has this name."""
    deal: Deal
    """The deal at the decision. It is never changed."""
    seat: int
    """The seat that is asked."""
    to_the_end: bool = False
    """True if the bot decides for its seat until the deal is over, not only once."""

    @property
    def rules(self) -> Rules:
        """The variant."""
        return self.deal.rules

    @property
    def totals(self) -> tuple[int, ...]:
        """Total of each seat before the deal."""
        return TOTALS[: self.rules.players]

    def questions(self) -> Generator[Deal, Action, Deal]:
        """
        Yield the deal at each decision, do the action that is sent back, and return the deal as it ends.

        As in a match, the seat is not asked if it has exactly one legal action. The default policy decides for the
        other seats.

        Raises:
            IllegalAction: If the action is not legal.
        """
        deal = self.deal.copy()
        while not deal.is_over:
            for seat in deal.to_act:
                is_asked = seat == self.seat and not deal.is_forced(seat)
                deal.apply(seat, (yield deal) if is_asked else deal.default_action(seat))
                if is_asked and not self.to_the_end:
                    return deal
        return deal

    def view(self, deal: Deal, decision: int, limit: float, bank: float) -> View:
        """Make the view of *deal* for decision number *decision*; *limit* and *bank* in seconds."""
        return View(
            *deal.known_to(self.seat), totals=self.totals, decision=decision, seed=decision, limit=limit, bank=bank
        )

    def result(self, deal: Deal) -> DealResult:
        """Make the notice for the end of *deal*; a deal that was not played to its end scores 0 for each seat."""
        scores = deal.scores() if deal.is_over else (0,) * self.rules.players
        totals = tuple(total + score for total, score in zip(self.totals, scores, strict=True))
        return DealResult(deal.number, self.seat, scores, totals)
