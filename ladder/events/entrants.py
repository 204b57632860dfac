"""
The entrants of an event, their lots, the results of their tables, and orders with a cut.

Every choice of chance in an event is a lot, which follows from the event's seed and the list of its entrants, so anyone
can check it. The key is HMAC-SHA-256(seed, SHA-256 of the list). The seed is fixed before the entrants are known, the
list after, so that no one can choose either to suit a draw. A lot is HMAC-SHA-256(key, text), where the text says what
it is for: its words are joined by a slash. docs/events.md has the recipe.

An order with a cut says who is above it, and who plays off because a tie leaves that open.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Table = tuple[int, ...]
"""The entrants at a table, by number; negative numbers are stand-ins."""
STAND_IN = "stand-in "
"""Beginning of the names of stand-ins; a number follows."""


@dataclass(frozen=True)
class Entrant:
    """A bot in an event."""

    number: int
    """From 1, in order of entry."""
    name: str
    owner: str
    rating: float | None = None
    """Elo at the freeze, if it has one."""


@dataclass(frozen=True)
class TableResult:
    """The points of a table that has been played."""

    table: Table
    boards: tuple[tuple[int, ...], ...]
    """For each board, or the one game: the points of each over all rotations. More is better (`scoring.oriented`)."""
    deals: int
    """Of all rotations."""


@dataclass(frozen=True)
class PlayedRound:
    """A round with its results."""

    stage: int
    """Its place in the event's file, from 0."""
    round: int
    """From 1, within the stage; play-offs count."""
    tables: tuple[TableResult, ...]


def is_stand_in(number: int) -> bool:
    """Tell whether a number is that of a stand-in, not of an entrant."""
    return number < 0


def filled(numbers: list[int], sides: int) -> list[int]:
    """
    Add stand-ins up to the next multiple of *sides*.

    >>> filled([7, 3, 5], 4)
    [7, 3, 5, -1]
    """
    return [*numbers, *(-missing for missing in range(1, -len(numbers) % sides + 1))]


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


Groups = list[list[int]]
"""An order; those in one list are level."""


@dataclass
class Contest:
    """
    An order in which a tie at a cut is played off.

    >>> pod = Contest([[3], [1, 2, 4]], cut=2)
    >>> pod.level
    [1, 2, 4]
    >>> pod.play_off({1: 5.0, 2: 9.0, 4: 5.0})
    >>> pod
    Contest(groups=[[3], [2], [1, 4]], cut=2)
    """

    groups: Groups
    cut: int
    """Number of entrants above it."""

    @property
    def level(self) -> list[int]:
        """Those who are level at the cut, if it separates them; else none."""
        ends = accumulate(map(len, self.groups))
        found = (group for group, end in zip(self.groups, ends, strict=True) if end - len(group) < self.cut < end)
        return next(found, [])

    def play_off(self, scores: Mapping[int, float]) -> None:
        """Put those who are level at the cut in the order of a play-off."""
        level = self.level
        parts = [[one for one in level if scores[one] == score] for score in sorted({scores[one] for one in level})]
        self.groups = [part for group in self.groups for part in (parts[::-1] if group is level else [group])]
