"""A deal played by sample bots on the engine alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pigpen.bot import Bot, decide
from pigpen.rules import Deal, Rules, deal_hands
from pigpen.rules.shuffle import derived_number
from pigpen.values.view import View

if TYPE_CHECKING:
    from collections.abc import Sequence


def play_deal(rules: Rules, bots: Sequence[Bot], seed: bytes, number: int, cards: int | None = None) -> Deal:
    """Play one deal to its end, or until *cards* cards are played; all goes through the engine's checks."""
    deal = Deal(rules, deal_hands(rules, seed, number), number=number)
    own = [derived_number("bot", seed, number, seat) for seat in range(rules.players)]
    while not deal.is_over and (cards is None or len(deal.plays) < cards):
        for seat in deal.to_act:
            known: tuple[Any, ...] = deal.view(seat).known()
            view = View(rules, *known)
            view.totals, view.seed = (0,) * rules.players, own[seat]
            deal.apply(seat, decide(bots[seat], view))
    return deal
