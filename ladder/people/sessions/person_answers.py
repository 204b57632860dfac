"""Answers from a person's browser: read, and held against the rules before the referee hears of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.errors import UserError
from ladder.people.seat.illegal_cards import why_not
from ladder.values.text import counted
from pigpen.rules import Card, Face, MoonChoice, Phase, cards_in, mask_of
from referee.records.steps import NAMES, parse_action, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pigpen.rules import Action
    from pigpen.values.view import View

LONGEST_ANSWER = 200
"""Characters."""


def answer_of(view: View, words: str) -> Action:
    """
    Read the answer to the question of *view*.

    Args:
        view: What the person sees.
        words: As in a record: ``QS``, ``QS KH 2C``, ``JD*``, nothing at all, ``add``.

    Raises:
        UserError: If it is none, or not allowed; the sentence says why.
    """
    kind = view.phase.name.lower()
    try:
        action = parse_action(kind, words[: LONGEST_ANSWER + 1])
    except ValueError:
        raise UserError(f"{words[:40]!r} is no answer to this question; {_WANTED[kind]}.") from None
    if isinstance(action, Card):
        return _allowed(view, action)
    if isinstance(action, MoonChoice):
        return action
    return _passed(view, action) if isinstance(action, tuple) else _exposed(view, action)


def is_same_answer(action: Action | None, words: str) -> bool:
    """Tell whether *words* say what was answered."""
    if action is None:
        return False
    kind, wanted = words_of(action)
    try:
        return words_of(parse_action(kind, words[: LONGEST_ANSWER + 1]))[1] == wanted
    except ValueError:
        return False


def _allowed(view: View, card: Card) -> Card:
    if not view.hand_mask & card.mask:
        raise UserError(f"{card} is not in your hand.")
    if reason := why_not(view, card):
        raise UserError(reason)
    return card


def _passed(view: View, cards: tuple[Card, ...]) -> tuple[Card, ...]:
    chosen = mask_of(cards)
    if chosen & ~view.hand_mask:
        raise UserError(f"{NAMES[cards_in(chosen & ~view.hand_mask)[0]]} is not in your hand.")
    if len(cards) != view.pass_count or chosen.bit_count() != view.pass_count:
        raise UserError(
            f"{counted(view.pass_count, 'card is', 'different cards are')} passed, not {chosen.bit_count()}."
        )
    return cards_in(chosen)


def _exposed(view: View, faces: Mapping[Card, Face]) -> Mapping[Card, Face]:
    for card, face in faces.items():
        if not view.legal_mask & card.mask:
            raise UserError(f"{card} may not be exposed.")
        if face is Face.DOWN and not (view.rules.exposing and view.rules.exposing.face_down):
            raise UserError(f"{card} may not be put face down in this variant.")
    return faces


_WANTED = {
    Phase.PASS.name.lower(): "cards are wanted, such as QS KH 2C",
    Phase.EXPOSE.name.lower(): "cards are wanted, such as QS JD*, or nothing",
    Phase.PLAY.name.lower(): "a card is wanted, such as QS",
    Phase.MOON.name.lower(): "subtract or add is wanted",
}
