"""
Actions as numbers, and a decision as one or more of them.

A card is its own number. A sealed answer is given card by card, so that every step is one number: a pass in as many
steps as cards are passed, an exposure until it is done. No seat sees a sealed answer before all are there.
"""

from __future__ import annotations

import contextlib
import operator
from typing import TYPE_CHECKING, SupportsIndex

from pigpen.rules import CARDS, Card, Face, IllegalAction, MoonChoice, Phase, cards_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pigpen.rules import Action, Rules

DONE = 52
"""In EXPOSE: no further card. In MOON: `MoonChoice.SUBTRACT`."""
ADD = 53
"""In MOON: `MoonChoice.ADD`."""
FACE_DOWN = 54
"""Added to a card: it is exposed face down. Only variants with face-down exposures have these actions."""


def count_actions(rules: Rules) -> int:
    """Return the number of actions of a variant: 54, or 106 if cards may be exposed face down."""
    return FACE_DOWN + (len(CARDS) if has_faces(rules) else 0)


def has_faces(rules: Rules) -> bool:
    """Return whether cards may be exposed face down."""
    return rules.exposing is not None and rules.exposing.face_down > 0


class Steps:
    """
    One decision of a seat, action by action.

    >>> from pigpen.learn import Steps
    >>> from pigpen.rules import PRESETS, Deal, deal_hands
    >>> rules = PRESETS["gongzhu"]
    >>> deal = Deal(rules, deal_hands(rules, bytes(32), 0))
    >>> steps = Steps(rules, deal.phase, deal.legal_mask(1))
    >>> steps.legal()
    (22, 49, 52)
    >>> steps.take(49)
    >>> steps.legal(), steps.answer
    ((22, 52), None)
    >>> steps.take(52)
    >>> steps.answer
    {Card('QS'): <Face.UP: 1>}
    """

    def __init__(self, rules: Rules, phase: Phase, legal: int) -> None:
        """
        Begin a decision.

        Args:
            rules: The variant.
            phase: The phase of the deal.
            legal: Cards that the seat may choose among, as a mask: `SeatView.legal_mask`.
        """
        self.phase: Phase = phase
        """The phase of the deal."""
        self.cards: int = legal
        """Cards that the next action may name, as a mask."""
        self.chosen: int = 0
        """Cards chosen so far, as a mask."""
        self.face_down: int = 0
        """Those of them that are exposed face down, as a mask."""
        self.answer: Action | None = None
        """The whole answer, as `Deal.apply` takes it; None until it is complete."""
        self._has_faces = has_faces(rules)
        self._wanted = rules.plan.pass_count

    def legal(self) -> tuple[int, ...]:
        """List the legal actions, in ascending order; empty when the answer is complete."""
        if self.answer is not None:
            return ()
        if self.phase is Phase.MOON:
            return DONE, ADD
        cards = tuple(map(int, cards_in(self.cards)))
        if self.phase is not Phase.EXPOSE:
            return cards
        return (*cards, DONE, *(FACE_DOWN + card for card in cards if self._has_faces))

    def take(self, action: int) -> None:
        """
        Take the next action.

        Raises:
            IllegalAction: If it is not legal; nothing has changed.
        """
        action, legal = number_of(action), self.legal()
        if action not in legal:
            raise IllegalAction(f"action {action} is not legal now; legal: {', '.join(map(str, legal)) or 'none'}")
        if self.phase is Phase.PLAY:
            self.answer = CARDS[action]
        elif self.phase is Phase.MOON:
            self.answer = MoonChoice.ADD if action == ADD else MoonChoice.SUBTRACT
        elif action == DONE:
            self.answer = self._exposure()
        else:
            self._choose(action)

    def _choose(self, action: int) -> None:
        bit = 1 << action % FACE_DOWN
        self.chosen |= bit
        self.cards &= ~bit
        if action >= FACE_DOWN:
            self.face_down |= bit
        if self.phase is Phase.PASS and self.chosen.bit_count() == self._wanted:
            self.answer = cards_in(self.chosen)
        elif self.phase is Phase.EXPOSE and not self.cards:
            self.answer = self._exposure()

    def _exposure(self) -> Mapping[Card, Face]:
        return {card: Face.DOWN if card.mask & self.face_down else Face.UP for card in cards_in(self.chosen)}


def number_of(action: object) -> int:
    """
    Read an action: a whole number, also of numpy.

    Raises:
        IllegalAction: If it is anything else, such as 1.5, "3" or True: none of them is rounded or read.
    """
    if not isinstance(action, bool) and isinstance(action, SupportsIndex):
        with contextlib.suppress(TypeError):  # an array of several numbers has the method, too
            return operator.index(action)
    raise IllegalAction(f"an action is a whole number, and not {action!r}")


def actions_of(answer: Action, legal: int) -> tuple[int, ...]:
    """
    List the actions of an answer: the inverse of `Steps`. Cards of a sealed answer are in canonical order.

    >>> from pigpen.learn import actions_of
    >>> from pigpen.rules import Card, Face, mask_of
    >>> pig, sheep = Card.parse("QS"), Card.parse("JD")
    >>> actions_of({pig: Face.UP}, mask_of([pig, sheep]))
    (49, 52)
    >>> actions_of({pig: Face.DOWN, sheep: Face.UP}, mask_of([pig, sheep]))
    (22, 103)

    Args:
        answer: As `Deal.apply` takes it.
        legal: Cards that the seat may choose among, as a mask: an exposure of all of them needs no `DONE`.
    """
    if isinstance(answer, Card):
        return (int(answer),)
    if isinstance(answer, MoonChoice):
        return (ADD if answer is MoonChoice.ADD else DONE,)
    if isinstance(answer, tuple):
        return tuple(sorted(map(int, answer)))
    shown = [card + (FACE_DOWN if face is Face.DOWN else 0) for card, face in sorted(answer.items())]
    return tuple(shown) if len(shown) == legal.bit_count() else (*shown, DONE)
