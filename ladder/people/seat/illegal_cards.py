"""The reason that a card may not be played now, from what the seat itself sees: as a value, and in one sentence."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from ladder.values.person_state import PersonBar
from pigpen.rules import Card, Face, Suit, cards_in, mask_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pigpen.values.view import View

NO_REASON = "It may not be played now."
"""The sentence where no rule that is known here bars the card."""


class Bar(enum.StrEnum):
    """The rule that forbids a card."""

    FOLLOW = "follow"
    """Another suit was led, and the hand has cards of it."""
    FORCED = "forced"
    """Another card must be led to the first trick."""
    FIRST_TRICK = "first trick"
    """It may not be played to the first trick."""
    EXPOSED = "exposed"
    """It is exposed, and its suit is led for the first time."""
    UNBROKEN = "unbroken"
    """Its suit may not be led yet."""
    OTHER = "other"


def why_barred(view: View, card: Card) -> PersonBar | None:
    """Say why *card*, which is in the hand, may not be played now; None if it may."""
    if view.legal_mask & card.mask:
        return None
    return next(_bars(view, card), _barred(Bar.OTHER))


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
    barred = why_barred(view, card)
    return bar_text(card, barred) if barred else ""


def _bars(view: View, card: Card) -> Iterator[PersonBar]:
    led = view.led
    if led is not None and card.suit is not led and view.hand_mask & led.mask:
        yield _barred(Bar.FOLLOW, (_plural(led),))
        return
    first = len(view.leaders) == 1
    plan = view.rules.plan
    if led is None and first and view.hand_mask & plan.forced:
        yield _barred(Bar.FORCED, (str(cards_in(plan.forced)[0]),))
    if first and plan.barred_first & card.mask:
        yield _barred(Bar.FIRST_TRICK, view.rules.first_trick.barred if view.rules.first_trick else ())
    if card.mask & _exposed_early(view):
        yield _barred(Bar.EXPOSED)
    leading = view.rules.leading
    if led is None and leading is not None and plan.restricted & card.mask:
        yield _barred(Bar.UNBROKEN, leading.broken_by)


def _barred(bar: Bar, names: tuple[str, ...] = ()) -> PersonBar:
    return PersonBar(bar=bar.value, names=names)


def bar_text(card: Card, barred: PersonBar) -> str:
    """Say in a sentence why *card* may not be played."""
    if barred.bar == Bar.FOLLOW:
        return f"You must follow suit: {barred.names[0]} were led."
    if barred.bar == Bar.FORCED:
        return f"{barred.names[0]} must be led to the first trick."
    if barred.bar == Bar.FIRST_TRICK:
        return f"{_named(barred.names)} may not be played to the first trick."
    if barred.bar == Bar.EXPOSED:
        limit = "it may not be played to the first trick of its suit while you hold another card of the suit."
        return f"{card} is exposed: {limit}"
    if barred.bar == Bar.UNBROKEN:
        suit, breakers = _plural(card.suit).capitalize(), _named(barred.names, " or ")
        return f"{suit} may not be led before {breakers} has been played to an earlier trick."
    return NO_REASON


def _exposed_early(view: View) -> int:
    """Find the cards that the seat has exposed face up, while their suit has not been led before this trick."""
    led_before = {trick[0].card.suit for trick in view.tricks}
    shown = (each for each in view.exposures if each.seat == view.seat and each.face is Face.UP)
    return mask_of(each.card for each in shown if each.card.suit not in led_before)


def _plural(suit: Suit) -> str:
    return suit.name.lower()


def _named(names: Iterable[str], word: str = " and ") -> str:
    """Name cards and suits: ``hearts, QS and JD``."""
    *first, last = [f"a {name[:-1]}" if word == " or " and len(name) > 2 else name for name in names]
    text = f"{', '.join(first)}{word}{last}" if first else last
    return text[0].upper() + text[1:] if word == " and " else text
