"""
From a match seed to the cards of a deal, by an algorithm for any language (docs/deals.md).

The bytes for deal k are SHA-256(tag ‖ seed ‖ k ‖ block) for block = 0, 1, …, numbers as 8 bytes, big-endian.
A number below m is the first byte that is less than the largest multiple of m in 256, modulo m. The deck, in
canonical order, is shuffled by Fisher-Yates from the last place down, then dealt one at a time (C-3).
"""

from __future__ import annotations

import hashlib
import re
from secrets import token_bytes
from typing import TYPE_CHECKING, TypeVar

from pigpen.rules.cards import mask_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pigpen.rules.cards import Card
    from pigpen.rules.model import Rules

T = TypeVar("T")

SEED_BYTES = 32
_DIGITS = re.compile(f"[0-9a-fA-F]{{{2 * SEED_BYTES}}}")


def new_seed() -> bytes:
    """
    Make a 256-bit match seed from random numbers of the operating system.

    >>> from pigpen.rules import new_seed
    >>> len(new_seed())
    32
    """
    return token_bytes(SEED_BYTES)


def seed_from(text: str) -> bytes:
    """
    Return the seed for *text*: 64 hex digits are the seed itself, any other text is hashed (SHA-256).

    >>> from pigpen.rules import seed_from
    >>> seed_from("7").hex()[:8]
    '7902699b'
    >>> seed_from("00" * 32) == bytes(32)
    True
    """
    if _DIGITS.fullmatch(text):
        return bytes.fromhex(text)
    return hashlib.sha256(text.encode(errors="surrogateescape")).digest()  # a command line may hold any bytes


def commitment(seed: bytes) -> str:
    """Return the SHA-256 of *seed* in hex, which is published before play."""
    return hashlib.sha256(seed).hexdigest()


def deal_hands(rules: Rules, seed: bytes, number: int) -> tuple[int, ...]:
    """
    Deal the cards of deal number *number* (0, 1, …): a mask for each seat.

    >>> from pigpen.rules import PRESETS, cards_in, deal_hands
    >>> hands = deal_hands(PRESETS["hearts"], bytes(32), 0)
    >>> cards_in(hands[0])[:3]
    (Card('2C'), Card('8C'), Card('5D'))
    >>> [hand.bit_count() for hand in hands]
    [13, 13, 13, 13]

    Cards are dealt one at a time, clockwise from the dealer's left (C-3). Seat n−1 deals first, so that seat 0 gets the
    first card of deal 0; then each seat in turn, clockwise.
    """
    deck = shuffled(rules, seed, number)
    return tuple([mask_of(deck[(seat - number) % rules.players :: rules.players]) for seat in range(rules.players)])


def shuffled(rules: Rules, seed: bytes, number: int) -> list[Card]:
    """Return the deck of deal *number* in the order in which it is dealt."""
    return shuffle("deal", seed, number, rules.deck)


def shuffle(tag: str, seed: bytes, number: int, things: Iterable[T]) -> list[T]:
    """
    Return *things*, at most 256, in an order that depends on all other arguments.

    Args:
        tag: The purpose of the order: each use of the same seed and number has a tag of its own.
        seed: The match seed.
        number: Number of the order for this purpose, from 0.
        things: The values to shuffle.
    """
    order = list(things)
    stream = _stream(f"pigpen/1/{tag}".encode(), seed, number)
    for last in range(len(order) - 1, 0, -1):
        other = _below(last + 1, stream)
        order[last], order[other] = order[other], order[last]
    return order


def derived_number(tag: str, seed: bytes, *numbers: int) -> int:
    """Return a 64-bit number that depends on all arguments and reveals nothing of *seed*."""
    return int.from_bytes(_digest(f"pigpen/1/{tag}".encode(), seed, *numbers)[:8], "big")


def _digest(tag: bytes, seed: bytes, *numbers: int) -> bytes:
    return hashlib.sha256(tag + seed + b"".join(number.to_bytes(8, "big") for number in numbers)).digest()


def _stream(tag: bytes, seed: bytes, number: int) -> Iterator[int]:
    block = 0
    while True:
        yield from _digest(tag, seed, number, block)
        block += 1


def _below(bound: int, stream: Iterator[int]) -> int:
    """Draw a uniform number below *bound* (at most 256), by rejection."""
    limit = 256 - 256 % bound
    while (byte := next(stream)) >= limit:
        pass
    return byte % bound
