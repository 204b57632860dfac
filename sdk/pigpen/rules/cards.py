"""
Cards, and sets of cards as bit masks.

A card is a small integer in canonical order (C-1): ``suit * 13 + rank - 2``, suits C D H S, ranks 2…14.
A set of cards is a plain ``int`` with bit ``1 << card`` set for each card in it. The points of a set are found by one
look-up for each byte of its mask.
"""

from __future__ import annotations

import enum
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

RANKS = "23456789TJQKA"
SUITS = "CDHS"


class Suit(enum.IntEnum):
    """
    The four suits in canonical order.

    >>> from pigpen.rules import Card, Suit, cards_in
    >>> Card.parse("QS").suit is Suit.SPADES
    True
    >>> len(cards_in(Suit.HEARTS.mask))
    13
    """

    CLUBS = 0
    """Cards 0 to 12."""
    DIAMONDS = 1
    """Cards 13 to 25."""
    HEARTS = 2
    """Cards 26 to 38."""
    SPADES = 3
    """Cards 39 to 51."""

    @property
    def mask(self) -> int:
        """The thirteen cards of the suit, as a mask."""
        return SUIT_MASKS[self]


SUIT_MASKS = tuple(0x1FFF << 13 * suit for suit in range(4))
FULL_DECK = (1 << 52) - 1


class Card(int):
    """
    One of the 52 cards: a number in canonical order, 0 to 51, so that cards sort and compare as C-1 says.

    >>> from pigpen import Card
    >>> Card.parse("QS").suit
    <Suit.SPADES: 3>
    >>> Card.parse("QS") > Card.parse("TS")
    True
    """

    __slots__ = ()

    def __new__(cls, number: int) -> Card:
        """Make card *number*; a ValueError if there is none with that number."""
        if not 0 <= number < 52:
            raise ValueError(f"{number} is no card; cards are numbered 0 to 51")
        return super().__new__(cls, number)

    @property
    def suit(self) -> Suit:
        """Suit of the card."""
        return _SUIT_OF[self]

    @property
    def rank(self) -> int:
        """Rank of the card, 2…14; the ace is 14."""
        return self % 13 + 2

    @property
    def mask(self) -> int:
        """The set that holds only this card, as a mask."""
        return 1 << self

    @classmethod
    def parse(cls, text: str) -> Card:
        """
        Read a card from its two-letter name: rank, then suit, in either case.

        >>> from pigpen import Card
        >>> Card.parse("qs").rank
        12

        Raises:
            ValueError: If *text* names no card.
        """
        try:
            return _BY_NAME[text.upper()]
        except (KeyError, AttributeError):
            raise ValueError(f"{text!r} is not a card; cards are written rank then suit, such as QS, TC, 2C") from None

    def __str__(self) -> str:
        return RANKS[self % 13] + SUITS[self // 13]

    def __repr__(self) -> str:
        return f"Card({str(self)!r})"

    def __reduce__(self) -> tuple[type[Card], tuple[int]]:
        return Card, (int(self),)


_SUIT_OF = tuple(Suit(index // 13) for index in range(52))
CARDS: tuple[Card, ...] = tuple(Card(index) for index in range(52))
"""Every card, in canonical order; ``CARDS[i] == i``."""
_BY_NAME = {str(card): card for card in CARDS}


def mask_of(cards: Iterable[int]) -> int:
    """
    Make a set, as a mask, of *cards*.

    >>> from pigpen.rules import Card, mask_of
    >>> pigs = mask_of([Card.parse("QS"), Card.parse("JD")])
    >>> bool(pigs & Card.parse("QS").mask)
    True
    >>> pigs.bit_count()
    2
    """
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


_BYTE_CARDS = tuple(
    tuple(tuple(CARDS[place + bit] for bit in range(min(8, 52 - place)) if byte >> bit & 1) for byte in range(256))
    for place in range(0, 52, 8)
)
"""The cards of each byte of a mask: a small table, so that it stays in the processor's cache."""
_B0, _B1, _B2, _B3, _B4, _B5, _B6 = _BYTE_CARDS


def cards_in(mask: int) -> tuple[Card, ...]:
    """
    List the cards of the set *mask*, in canonical order.

    >>> from pigpen.rules import Card, cards_in, mask_of
    >>> cards_in(mask_of([Card.parse("QS"), Card.parse("2C"), Card.parse("JD")]))
    (Card('2C'), Card('JD'), Card('QS'))
    """
    b0, b1, b2, b3, b4, b5, b6 = mask.to_bytes(7, "little")
    return _B0[b0] + _B1[b1] + _B2[b2] + _B3[b3] + _B4[b4] + _B5[b5] + _B6[b6]


def parse_cards(names: Iterable[str]) -> int:
    """
    Read a set, as a mask, from *names*. A name is a card (``QS``) or a whole suit (``hearts``).

    Raises:
        ValueError: If one of them is neither.
    """
    mask = 0
    for name in names:
        if name.upper() in Suit.__members__:
            mask |= Suit[name.upper()].mask
        else:
            mask |= 1 << Card.parse(name)
    return mask


Totals = tuple[tuple[int, ...], ...]
"""Seven tables, one for each byte of a mask: from the value of the byte, 0…255, to the points of its cards."""


@lru_cache(maxsize=64)
def byte_totals(points: tuple[int, ...]) -> Totals:
    """Make the tables for cards with these *points*, one number for each of the 52 cards."""
    tables = []
    for place in range(0, 52, 8):
        totals = [0]
        for worth in points[place : place + 8]:
            totals += [total + worth for total in totals]
        tables.append(tuple(totals))
    return tuple(tables)
