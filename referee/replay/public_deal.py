"""
The events of a deal as all can see them, and the table that they show: for spectators, and for matches being played.

Hands are never read where they are not given: the cards of a player are those that it has played or exposed (C-9).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pigpen.rules import Card, Exposure, Face, Phase, mask_of
from pigpen.rules.cards import parse_cards
from pigpen.values.view import View
from referee.records.steps import kind_and_words, parse_action
from referee.replay.table_view import public_table, table_moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pigpen.rules import Rules
    from pigpen.values.notices import DealResult
    from referee.records.lines import Step
    from referee.replay.table_view import TableMoment

NO_SEAT = 0
"""A view is some seat's; the one of spectators has no hand."""


class PublicDeal:
    """A deal while it is played."""

    def __init__(self, rules: Rules, number: int, totals: Sequence[int], hands: Sequence[str] | None = None) -> None:
        """
        Begin with the cards dealt.

        Args:
            rules: The variant.
            number: Of the deal.
            totals: Before it, by seat.
            hands: The cards of each seat where all hands are open.
        """
        self._rules = rules
        self._number = number
        self._totals = tuple(totals)
        self._dealt = None if hands is None else [parse_cards(hand.split()) for hand in hands]
        self._given = [0] * rules.players
        self._plays = bytearray()
        self._leaders = bytearray()
        self._has_passed = self._has_exposed = False
        self._up: list[Exposure] = []
        self._down: list[Exposure] = []
        self._unknown = [0] * rules.players
        """Cards face down of each seat of which only their number is known; none where all hands are open."""

    def take(self, steps: Iterable[Step]) -> None:
        """Take the answers to a question, or to several."""
        for step in steps:
            kind, words = kind_and_words(step)
            if kind == "pass":
                self._has_passed = True
            elif kind == "expose":
                self.expose(step.seat, words)
            elif kind == "play":
                self.play(step.seat, words)

    def play(self, seat: int, card: str, *, down: bool = False) -> None:
        """Note a card that was played, and whether it was exposed face down, which it now tells (GS-2)."""
        if len(self._plays) % self._rules.players == 0:
            self._leaders.append(seat)
        played = Card.parse(card)
        self._plays.append(played)
        if down and self._unknown[seat]:
            self._unknown[seat] -= 1
            self._down.append(Exposure(seat, played, Face.DOWN))

    def passed(self, cards: Sequence[str] | None) -> None:
        """Note that all have passed; *cards* are those of each seat where all hands are open."""
        self._has_passed = True
        if cards is not None:
            self._given = [parse_cards(each.split()) for each in cards]

    def expose(self, seat: int, words: str, hidden: int = 0) -> None:
        """Note what a seat has exposed, as a record writes it, and how many cards more it has put face down."""
        self._has_exposed = True
        action: Mapping[Card, Face] = parse_action("expose", words)  # type: ignore[assignment]
        for card, face in action.items():
            (self._up if face is Face.UP else self._down).append(Exposure(seat, card, face))
        self._unknown[seat] = hidden if self._dealt is None else 0

    def moment(self, result: DealResult | None = None) -> TableMoment:
        """Make the table as it is now; *result* is how the deal ended, if it has."""
        view = self.view()
        if self._dealt is None:
            return public_table(view, result)
        shown = public_table(view, result)
        views = [self._open_view(seat) for seat in range(self._rules.players)]
        return table_moment(views, shown.steps, scores=shown.scores, totals=shown.totals)

    def view(self) -> View:
        """Give the view of a spectator, who has no hand."""
        played = set(self._plays)
        known = [*self._up, *(each for each in self._down if each.card in played)]
        hidden = list(self._unknown)
        for each in self._down:
            hidden[each.seat] += each.card not in played
        return self._view(NO_SEAT, known, hidden)

    def _open_view(self, seat: int) -> View:
        """Give the view of a seat where all hands are open."""
        assert self._dealt is not None
        giver = (seat - self._rules.pass_offset(self._number)) % self._rules.players
        passed, received = self._given[seat], self._given[giver]
        hand = (self._dealt[seat] & ~passed | received) & ~mask_of(self._plays)
        return self._view(seat, [*self._up, *self._down], self._unknown, hand, passed, received)

    def _view(
        self, seat: int, known: Sequence[Exposure], hidden: Sequence[int], hand: int = 0, passed: int = 0,
        received: int = 0,
    ) -> View:  # fmt: skip
        """Make a view; between two tricks the winner is to lead."""
        made = View(
            self._rules, seat, self._number, self._phase, hand, 0, passed, received, tuple(known), tuple(hidden),
            bytes(self._plays), bytes(self._leaders), None, totals=self._totals,
        )  # fmt: skip
        if self._plays and len(self._plays) % self._rules.players == 0 and self._phase is Phase.PLAY:
            made.leaders += bytes((made.winner(len(made.leaders) - 1),))
        return made

    @property
    def _phase(self) -> Phase:
        if self._plays:
            return Phase.OVER if len(self._plays) == len(self._rules.deck) else Phase.PLAY
        if self._rules.pass_offset(self._number) and not self._has_passed:
            return Phase.PASS
        return Phase.EXPOSE if self._rules.exposing and not self._has_exposed else Phase.PLAY
