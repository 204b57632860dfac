"""
The entrants of an event, their lots, the costs and the results of their tables, and orders with a cut.

Every choice of chance in an event is a lot, which anyone can check. The key is HMAC-SHA-256(seed, SHA-256 of the list
of entrants, followed by the SHA-256 of what others have contributed). The seed is the organiser's, and is fixed before
the entrants are known. The contributions are nonces of entrants, fixed when they enter and known after the list is
final, and the value of a public beacon. So no one who chooses a part knows the others. A lot is HMAC-SHA-256(key,
text), where the text says what it is for: its words are joined by a slash. docs/events.md has the recipe.

An order with a cut says who is above it, and who plays off because a tie leaves that open.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Table = tuple[int, ...]
"""The entrants at a table, by number; negative numbers are stand-ins."""
STAND_IN = "stand-in "
"""Beginning of the names of stand-ins; a number follows."""
LOT = 100_000
"""Lots are below it; it is also the cost of two bots that are half a place point apart."""
MEETING = 10**6 * LOT
"""More than all gaps and lots of a round together."""
OWNER = 10**11 * LOT
"""More than all meetings of a round."""


@dataclass(frozen=True)
class Entrant:
    """A bot in an event."""

    number: int
    """From 1, in order of entry."""
    name: str
    owner: str
    rating: float | None = None
    """Elo at the freeze, if it has one."""
    identity: str = ""
    """Its program: the id of its image, or the hash of its folder; empty in a list that is a file."""
    commitment: str = ""
    """SHA-256 of its nonce, in hex; empty: it contributes none."""


@dataclass(frozen=True)
class Contributions:
    """Contributions of others than the organiser to the chance of an event."""

    nonces: Mapping[int, str]
    """By number of the entrant, in hex; those that were not revealed are missing."""
    beacon: str = ""
    """Address of the public beacon; empty: none."""
    value: str = ""
    """Its value."""

    def hash(self) -> str:
        """
        Give their SHA-256, in hex: a line for each nonce by number, and one for the beacon.

        A line has number and nonce, or `beacon`, its address and the SHA-256 of its value, with tabs between them.
        """
        lines = [f"{number}\t{nonce}\n" for number, nonce in sorted(self.nonces.items())]
        if self.beacon:
            lines.append(f"beacon\t{self.beacon}\t{hashlib.sha256(self.value.encode()).hexdigest()}\n")
        return hashlib.sha256("".join(lines).encode()).hexdigest()


@dataclass(frozen=True)
class TableResult:
    """The points of a table that has been played."""

    table: Table
    boards: tuple[tuple[int, ...], ...]
    """For each board, or the one game: the points of each over all rotations. More is better (`scoring.oriented`)."""
    deals: int
    """Of all rotations."""
    taken_over: tuple[int, ...] = ()
    """Entrants for which the default policy has decided in the end, by number."""


class Cost(NamedTuple):
    """The cost of the tables of a round."""

    owners: int
    """Pairs of one owner at a table."""
    meetings: int
    """For each pair that has met, the square of the meetings; 2 more if they met in the round before."""
    places: int
    """The squares of the differences in half place points, times `LOT`; and the lots."""

    @property
    def total(self) -> int:
        """One number in the same order."""
        return self.owners * OWNER + self.meetings * MEETING + self.places


@dataclass(frozen=True)
class PlayedRound:
    """A round with its results."""

    stage: int
    """Its place in the event's file, from 0."""
    round: int
    """From 1, within the stage; play-offs count."""
    tables: tuple[TableResult, ...]


@dataclass(frozen=True)
class Dropped:
    """The end of a bot's event by the rule about takeovers."""

    after: int
    """Rounds of the event that had been played."""
    tables: tuple[tuple[int, int], ...]
    """At which it was taken over: round within the event, and table, from 1."""


class Takeovers:
    """
    The rule by which a bot leaves that the default policy takes over again and again.

    It looks at the results that count: a table that is played again counts as it was played last.

    >>> rule = Takeovers(limit=2)
    >>> for _ in range(2):
    ...     rule.take([(), (2,)])
    >>> rule.dropped
    {2: Dropped(after=2, tables=((1, 2), (2, 2)))}
    """

    def __init__(self, limit: int) -> None:
        """Begin before the first round; *limit*: tables after which a bot leaves, 0: never."""
        self._limit = limit
        self._played = 0
        self._tables: dict[int, list[tuple[int, int]]] = {}
        self.dropped: dict[int, Dropped] = {}
        """By number of the entrant."""

    def take(self, tables: Iterable[Iterable[int]]) -> None:
        """Add a round of the event that has been played: of each table who was taken over."""
        self._played += 1
        for place, taken_over in enumerate(tables, 1):
            for one in taken_over:
                found = self._tables.setdefault(one, [])
                found.append((self._played, place))
                if self._limit and len(found) >= self._limit and one not in self.dropped:
                    self.dropped[one] = Dropped(self._played, tuple(found))


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

    A line has number, name, owner, rating, identity and commitment, with tabs between them; the rating with two
    decimals, or nothing. The stand-in is in the list of an event on a ladder, too: with the number 0.
    """
    lines = (
        f"{one.number}\t{one.name}\t{one.owner}\t{'' if one.rating is None else f'{one.rating:.2f}'}\t"
        f"{one.identity}\t{one.commitment}\n"
        for one in entrants
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()


@dataclass(frozen=True)
class Lots:
    """The lots of one event."""

    key: bytes

    @classmethod
    def of(cls, seed: bytes, entrants: Iterable[Entrant], contributions: Contributions | None = None) -> Lots:
        """Make the lots of an event with that seed, that list of entrants, and what others have contributed."""
        fixed = entrants_hash(entrants) + ("" if contributions is None else contributions.hash())
        return cls(hmac.digest(seed, bytes.fromhex(fixed), "sha256"))

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
