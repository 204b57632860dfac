"""The cards of each seat in a recorded match: from its seed, or, while that is secret, from the record alone."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Protocol

from pigpen.rules import Card, deal_hands, mask_of
from referee.match.seating import circular_order
from referee.records.errors import RecordDiffers

if TYPE_CHECKING:
    from pigpen.rules import Rules

Dealt = tuple[tuple[int, ...], tuple[int, ...]]
"""The hands, a mask per seat, and the number of the bot in each seat."""


class Dealing(Protocol):
    """Says what was dealt."""

    def dealt(self, number: int, rotation: int | None, plain: dict[str, Any]) -> Dealt:
        """
        Give the hands and seats of deal *number* at its table.

        Args:
            number: Of the deal at its table; of the board, if there are boards.
            rotation: Of the board; None in other formats.
            plain: The deal's line as nested dicts and lists.
        """


class SeedDealing:
    """Deals from the match seed, as the referee does."""

    def __init__(self, rules: Rules, seed: bytes) -> None:
        self._identity = tuple(range(rules.players))
        self._hands = functools.lru_cache(1024)(functools.partial(deal_hands, rules, seed))
        self._order = functools.lru_cache(1024)(functools.partial(circular_order, rules, seed))

    def dealt(self, number: int, rotation: int | None, plain: dict[str, Any]) -> Dealt:
        """See `Dealing`."""
        if rotation is None:
            return self._hands(number), self._identity
        order = self._order(number)
        return self._hands(number), order[rotation:] + order[:rotation]


class RecordedDealing:
    """Believes the record, but checks that a board is the same in all its rotations."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._identity = tuple(range(rules.players))
        self._boards: dict[int, Dealt] = {}

    def dealt(self, number: int, rotation: int | None, plain: dict[str, Any]) -> Dealt:
        """
        See `Dealing`.

        Raises:
            RecordDiffers: If there are no such cards or seats, or the board was another one in an earlier rotation.
        """
        hands = tuple(map(_mask, plain["hands"]))
        if rotation is None:
            return hands, self._identity
        seats = tuple(map(int, plain["seats"]))
        order = seats[-rotation:] + seats[:-rotation] if rotation else seats
        if not self._is_order(order):
            raise RecordDiffers(f"seats {list(seats)} are not the bots' seats in rotation {rotation + 1}")
        if self._boards.setdefault(number, (hands, order)) != (hands, order):
            raise RecordDiffers("hands or seats are not those of this board in another rotation")
        return hands, seats

    def _is_order(self, order: tuple[int, ...]) -> bool:
        """Tell whether all bots are there once, from bot 0, partners opposite each other."""
        whole = sorted(order) == list(self._identity) and order[0] == 0
        return whole and (not self._rules.partners or order[2] == 2)


def _mask(hand: str) -> int:
    try:
        return mask_of(map(Card.parse, hand.split()))
    except ValueError as error:
        raise RecordDiffers(f"hands: {error}") from None
