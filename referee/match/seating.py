"""
Seating: on every board the bots sit in another circular order, and each rotation moves them on by one seat.

The recipe is part of the published one (docs/deals.md), so that anyone can find the seats from the match seed.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from pigpen.rules.shuffle import shuffle

if TYPE_CHECKING:
    from pigpen.rules import Rules

TAG = "seating"
MAX_LISTED = 6
"""Most seats of which all circular orders are listed; there are (n−1)! of them."""


def seats_of(rules: Rules, seed: bytes, board: int, rotation: int) -> tuple[int, ...]:
    """Give the number of the bot in each seat of *board* (from 0) in its *rotation* (0 to n−1)."""
    order = circular_order(rules, seed, board)
    return tuple(order[(seat + rotation) % rules.players] for seat in range(rules.players))


def circular_order(rules: Rules, seed: bytes, board: int) -> tuple[int, ...]:
    """
    Order the bots by number, clockwise from bot 0, on *board*: each one's left neighbour comes next.

    The possible orders are shuffled once; board k takes number k, and after the last one they begin again. Beyond
    `MAX_LISTED` seats every board shuffles bots 1 to n−1 for itself.
    """
    if rules.players > MAX_LISTED:
        return (0, *shuffle(TAG, seed, board, range(1, rules.players)))
    orders = shuffle(TAG, seed, 0, _orders(rules))
    return orders[board % len(orders)]


def _orders(rules: Rules) -> list[tuple[int, ...]]:
    """List every circular order, the lowest first; with partners those where bots 0 and 2 sit opposite."""
    orders = [(0, *others) for others in itertools.permutations(range(1, rules.players))]
    return [order for order in orders if order[2] == 2] if rules.partners else orders
