"""A deal in which the cards that one seat does not know have been exchanged with each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pigpen.rules import Exposure, cards_in, mask_of

if TYPE_CHECKING:
    from random import Random

    from pigpen.rules import Card, Deal


def with_hidden_cards_exchanged(deal: Deal, seat: int, rng: Random) -> Deal:
    """Rename the cards that *seat* does not know, wherever they lie; sealed answers of other seats are thrown away."""
    view, twin = deal.view(seat), deal.copy()
    known = mask_of(shown.card for shown in view.exposures)
    hidden = cards_in(view.unseen_mask & ~known)
    renamed = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
    others = [other for other in range(deal.rules.players) if other != seat]
    for other in others:
        twin.hands[other] = _renamed(deal.hands[other], renamed)
    twin.exposures = tuple(
        shown if shown in view.exposures else Exposure(shown.seat, renamed[shown.card], shown.face)
        for shown in deal.exposures
    )
    for name in ("dealt", "passed", "received"):
        masks = getattr(deal, name)
        changed = [mask if each == seat else _renamed(mask, renamed) for each, mask in enumerate(masks)]
        setattr(twin, name, tuple(changed))
    for other in others:
        twin._sealed.pop(other, None)
    return twin


def _renamed(mask: int, names: dict[Card, Card]) -> int:
    return mask_of(names.get(card, card) for card in cards_in(mask))
