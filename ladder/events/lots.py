"""
Lots: every choice of chance in an event follows from its seed and the list of its entrants, so anyone can check it.

The key is HMAC-SHA-256(seed, SHA-256 of the list). The seed is fixed before the entrants are known, the list after, so
that no one can choose either to suit a draw. A lot is HMAC-SHA-256(key, text), where the text says what it is for:
its words are joined by a slash. docs/events.md has the recipe.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ladder.events.entrants import Entrant

Thing = TypeVar("Thing")


def entrants_hash(entrants: Iterable[Entrant]) -> str:
    """
    Give the SHA-256, in hex, of the list of entrants: a line for each, in order of entry.

    A line has number, name, owner and rating, with tabs between them; the rating with two decimals, or nothing.
    """
    lines = (
        f"{one.number}\t{one.name}\t{one.owner}\t{'' if one.rating is None else f'{one.rating:.2f}'}\n"
        for one in entrants
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()


@dataclass(frozen=True)
class Lots:
    """The lots of one event."""

    key: bytes

    @classmethod
    def of(cls, seed: bytes, entrants: Iterable[Entrant]) -> Lots:
        """Make the lots of an event with that seed and those entrants."""
        return cls(hmac.digest(seed, bytes.fromhex(entrants_hash(entrants)), "sha256"))

    def seed(self, *words: str | int) -> bytes:
        """Give 32 bytes for the purpose that *words* name, such as the cards of a match."""
        return hmac.digest(self.key, "/".join(map(str, words)).encode(), "sha256")

    def number(self, *words: str | int) -> int:
        """Give 64 bits for the purpose that *words* name."""
        return int.from_bytes(self.seed(*words)[:8], "big")

    def order(self, things: Iterable[Thing], name: Callable[[Thing], str | int], *words: str | int) -> list[Thing]:
        """Give *things* in the order of the lots of their names."""
        return sorted(things, key=lambda thing: self.seed(*words, name(thing)))
