"""Why a card may not be played now, in one sentence, from what the seat itself sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pigpen.rules import Card, Face, Suit, cards_in, mask_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pigpen.values.view import View


def why_not(view: View, card: Card) -> str:
    """
    Say why *card*, which is in the hand, may not be played now; nothing if it may.

    >>> from pigpen import View
    >>> from pigpen.rules import PRESETS, Deal, deal_hands
    >>> rules = PRESETS["hearts"]
    >>> deal = Deal(rules, deal_hands(rules, bytes(32), 3), number=3)
    >>> view = View(*deal.known_to(deal.turn))
    >>> why_not(view, view.hand[-1])
    '2C must be led to the first trick.'
    """
    if view.legal_mask & card.mask:
        return ""
    return next(_reasons(view, card), "It may not be played now.")


def _reasons(view: View, card: Card) -> Iterator[str]:
    led = view.led
    if led is not None and card.suit is not led and view.hand_mask & led.mask:
        yield f"You must follow suit: {_plural(led)} were led."
        return
    first = len(view.leaders) == 1
    plan = view.rules.plan
    if led is None and first and view.hand_mask & plan.forced:
        yield f"{cards_in(plan.forced)[0]} must be led to the first trick."
    if first and plan.barred_first & card.mask:
        barred = _named(view.rules.first_trick.barred if view.rules.first_trick else ())
        yield f"{barred} may not be played to the first trick."
    if card.mask & _barred(view):
        yield f"{card} is exposed: not to the first trick of its suit while you hold another card of the suit."
    leading = view.rules.leading
    if led is None and leading is not None and plan.restricted & card.mask:
        breakers = _named(leading.broken_by, " or ")
        yield f"{_plural(card.suit).capitalize()} may not be led before {breakers} has been played to an earlier trick."


def _barred(view: View) -> int:
    """The cards that the seat has exposed face up, while their suit has not been led before this trick."""
    led_before = {trick[0].card.suit for trick in view.tricks}
    shown = (each for each in view.exposures if each.seat == view.seat and each.face is Face.UP)
    return mask_of(each.card for each in shown if each.card.suit not in led_before)


def _plural(suit: Suit) -> str:
    return suit.name.lower()


def _named(names: Iterable[str], word: str = " and ") -> str:
    """Cards and suits by name: ``hearts, QS and JD``."""
    *first, last = [f"a {name[:-1]}" if word == " or " and len(name) > 2 else name for name in names]
    text = f"{', '.join(first)}{word}{last}" if first else last
    return text[0].upper() + text[1:] if word == " and " else text
