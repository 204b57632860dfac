"""
The ways to deal cards to places: counted exactly, and drawn.

Cards that may go to the same places are a class; places to which the same cards may go are a group. The number of cards
of a class that go to each group is drawn from a table of exact counts, made class by class. `pack_tables` packs the
tables as the library in C reads them (dealing.h).
"""

from __future__ import annotations

import ctypes
import struct
from itertools import accumulate
from math import factorial
from typing import TYPE_CHECKING, NamedTuple

from pigpen.rules.cards import cards_in
from pigpen.sim.native.binding import PLACES, Tables
from pigpen.sim.sim_random import WORD

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pigpen.sim.sim_random import SimRandom

Room = tuple[int, ...]
"""Number of cards that each group of places can still take; in a split, number of cards of a class that it gets."""


class CardPlace(NamedTuple):
    """A place where unseen cards may lie."""

    seat: int
    face_down: bool
    size: int


class Option(NamedTuple):
    """One way to split a class."""

    limit: int
    """The option is drawn if the random word is below this limit and not below that of the option before."""
    split: Room
    room: Room
    """The room that is left for the later classes."""


class Unfit(ValueError):
    """A view that no deal fits: it holds a card that was not legal."""


class Splits:
    """
    All ways to split classes of cards among groups of fixed sizes, and the number of deals for each way.

    Attributes:
        cards: The cards of each class, as tuples of numbers.
        groups: The groups to which each class may go.
        root: The room in all groups, before the first class.
        options: The options of each class, by the room in the groups.
    """

    def __init__(self, classes: dict[tuple[int, ...], int], sizes: Sequence[int]) -> None:
        """
        Count the ways.

        Args:
            classes: The cards that may go to each set of groups, as masks; together they fill the groups.
            sizes: Number of cards that each group takes.

        Raises:
            Unfit: If there is no way.
        """
        # The class with the most freedom comes last: what room is left says how it must be split.
        ordered = sorted(classes.items(), key=lambda item: (len(item[0]), item[1].bit_count()))
        self.groups: list[tuple[int, ...]] = [groups for groups, _ in ordered]
        self.cards: list[tuple[int, ...]] = [tuple(map(int, cards_in(mask))) for _, mask in ordered]
        self.root: Room = tuple(sizes)
        self.options: list[dict[Room, list[Option]]] = [{} for _ in ordered]
        self._ways: dict[tuple[int, Room], int] = {}
        if not self.ways(0, self.root):
            raise Unfit("no deal fits this view")

    def ways(self, level: int, room: Room) -> int:
        """Count the ways in which the classes from number *level* on fill *room*."""
        if level == len(self.cards):
            return not any(room)
        known = self._ways.get((level, room))
        if known is None:
            known = self._ways[level, room] = self._count(level, room)
        return known

    def _count(self, level: int, room: Room) -> int:
        splits, counts = [], []
        for split in self._splits(level, room):
            left = tuple([size - part for size, part in zip(room, split, strict=True)])
            if ways := self.ways(level + 1, left):
                splits.append((split, left))
                counts.append(ways * shuffles(split))
        total = sum(counts)
        limits = [count * WORD // total for count in accumulate(counts)]
        self.options[level][room] = [Option(limit, *split) for limit, split in zip(limits, splits, strict=True)]
        return total

    def _splits(self, level: int, room: Room) -> Iterator[Room]:
        groups, count = self.groups[level], len(self.cards[level])
        if level == len(self.cards) - 1:
            parts = [size if group in groups else 0 for group, size in enumerate(room)]
            return iter([tuple(parts)] if sum(parts) == count == sum(room) else [])
        return _parts(count, room, frozenset(groups), 0)

    def draw(self, rng: SimRandom) -> list[int]:
        """Draw a deal: the cards of each group, as masks."""
        masks = [0] * len(self.root)
        room = self.root
        for cards, groups, table in zip(self.cards, self.groups, self.options, strict=True):
            options = table[room]
            option = options[0] if len(options) == 1 else _drawn(options, rng.word())
            spread(list(cards), groups, option.split, rng, masks)
            room = option.room
        return masks


def _drawn(options: list[Option], word: int) -> Option:
    for option in options:
        if word < option.limit:
            return option
    raise AssertionError("the last limit is above every word")


def spread(cards: list[int], places: Sequence[int], split: Sequence[int], rng: SimRandom, masks: list[int]) -> None:
    """Give each of *places* its part of *cards*. The last place takes the rest, without random numbers."""
    begin, last = 0, len(cards) - 1
    for place in places[:-1]:
        mask = masks[place]
        for taken in range(begin, begin + split[place]):
            other = taken + rng.below(last + 1 - taken)
            mask |= 1 << cards[other]
            cards[other] = cards[taken]
        masks[place] = mask
        begin += split[place]
    for card in cards[begin:]:
        masks[places[-1]] |= 1 << card


def _parts(count: int, room: Room, groups: frozenset[int], first: int) -> Iterator[Room]:
    """Yield every way to split *count* cards among *groups*, from group number *first* on."""
    if first == len(room):
        if not count:
            yield ()
        return
    for part in range(min(count, room[first]) + 1) if first in groups else (0,):
        for rest in _parts(count - part, room, groups, first + 1):
            yield (part, *rest)


def shuffles(split: Room) -> int:
    """Count the ways to split the cards of a class like *split*: a multinomial coefficient."""
    ways = factorial(sum(split))
    for part in split:
        ways //= factorial(part)
    return ways


_CLASS = struct.Struct("=3q16s")
_GROUP = struct.Struct("=q16s")
_NODE = struct.Struct("=2q")
_OPTION = struct.Struct("=Qq16s")


def pack_tables(splits: Splits, groups: Sequence[Sequence[int]], places: Sequence[CardPlace]) -> Tables:
    """Make `Unseen` of dealing.h, with its tables; see `pigpen.sim.sampling.Unseen`."""
    classes, cards = b"", b""
    for dealt, allowed in zip(splits.cards, splits.groups, strict=True):
        classes += _CLASS.pack(len(cards), len(dealt), len(allowed), bytes(allowed))
        cards += bytes(dealt)
    rooms = [(level, room) for level, table in enumerate(splits.options) for room in table]
    number = {node: index for index, node in enumerate(rooms)}
    nodes: list[bytes] = []
    options: list[bytes] = []
    for level, room in rooms:
        ways = splits.options[level][room]
        nodes.append(_NODE.pack(len(options), len(ways)))
        options += [_pack_option(way, number.get((level + 1, way.room), 0)) for way in ways]
    groups_of_places = b"".join(_GROUP.pack(len(group), bytes(group)) for group in groups)
    return Tables(
        len(splits.cards), len(groups), len(places), _padded([place.seat for place in places]),
        _padded([place.face_down for place in places]), _padded([place.size for place in places]), classes, cards,
        b"".join(nodes), b"".join(options), groups_of_places,
    )  # fmt: skip


def _pack_option(option: Option, node: int) -> bytes:
    return _OPTION.pack(min(option.limit, WORD - 1), node, bytes(option.split))


def _padded(values: Sequence[int]) -> ctypes.Array[ctypes.c_uint8]:
    return (ctypes.c_uint8 * PLACES)(*values)
