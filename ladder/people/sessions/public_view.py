"""The public view of a deal, made only from cards that were played or exposed: hands are never read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ladder.app.replay_moments import shown_moment
from ladder.values.replay import ReplayMoment
from pigpen.rules import Card, Exposure, Face, Phase
from pigpen.values.notices import DealResult
from pigpen.values.view import View
from referee.records.steps import kind_and_words, parse_action
from referee.replay.table_view import seat_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pigpen.rules import Rules
    from referee.records.lines import Step

DRAWN_AT_BOTTOM = 0


class PublicDeal:
    """The events of a deal, as far as they are public (C-9)."""

    def __init__(self, rules: Rules, number: int, totals: Sequence[int]) -> None:
        """
        Begin with the cards dealt.

        Args:
            rules: The variant.
            number: Of the deal.
            totals: Before it, by seat.
        """
        self._rules = rules
        self._number = number
        self._totals = tuple(totals)
        self._plays = bytearray()
        self._leaders = bytearray()
        self._has_passed = self._has_exposed = False
        self._up: list[Exposure] = []
        self._down: list[Exposure] = []

    def take(self, steps: Iterable[Step]) -> None:
        """Take the answers to a question, or to several."""
        for step in steps:
            kind, words = kind_and_words(step)
            if kind == "pass":
                self._has_passed = True
            elif kind == "expose":
                self._has_exposed = True
                self._expose(step.seat, words)
            elif kind == "play":
                self._play(step.seat, Card.parse(words))

    def view(self) -> View:
        """Give the view of a spectator, who has no hand."""
        played = set(self._plays)
        known = [*self._up, *(each for each in self._down if each.card in played)]
        hidden = [0] * self._rules.players
        for each in self._down:
            hidden[each.seat] += each.card not in played
        made = View(
            self._rules, DRAWN_AT_BOTTOM, self._number, self._phase, 0, 0, 0, 0, tuple(known), tuple(hidden),
            bytes(self._plays), bytes(self._leaders), None, totals=self._totals,
        )  # fmt: skip
        is_between = len(self._plays) % self._rules.players == 0 and self._phase is Phase.PLAY and self._plays
        return (
            replace(made, leaders=made.leaders + bytes((made.winner(len(made.leaders) - 1),))) if is_between else made
        )

    def moment(self, names: Sequence[str], result: DealResult | None) -> ReplayMoment:
        """Give what a page draws; *result* if the deal is over."""
        view = self.view()
        made = shown_moment(seat_table(view, names, result))
        seats = tuple(each.model_copy(update={"asked": each.asked and result is None}) for each in made.seats)
        is_to_lead = self._phase is Phase.EXPOSE and (self._has_exposed or not self._rules.exposing)
        return made.model_copy(update={"seats": seats} | ({"phase": "play"} if is_to_lead else {}))

    @property
    def _phase(self) -> Phase:
        if self._plays:
            return Phase.OVER if len(self._plays) == len(self._rules.deck) else Phase.PLAY
        if self._rules.pass_offset(self._number) and not self._has_passed:
            return Phase.PASS
        return Phase.EXPOSE

    def _expose(self, seat: int, words: str) -> None:
        action = parse_action("expose", words)
        assert isinstance(action, dict)
        for card, face in action.items():
            (self._up if face is Face.UP else self._down).append(Exposure(seat, card, face))

    def _play(self, seat: int, card: Card) -> None:
        if len(self._plays) % self._rules.players == 0:
            self._leaders.append(seat)
        self._plays.append(card)
