"""
In how many ways cards can be dealt to places, counted exactly, and one of the ways drawn.

Cards that may go to the same places are a class; places that the same cards may go to are a group. How many cards of a
class go to each group is drawn from a table of exact counts, made class by class.
"""

from __future__ import annotations

from itertools import accumulate
from math import factorial
from typing import TYPE_CHECKING, NamedTuple

from pigpen.rules.cards import cards_in
from pigpen.sim.sim_random import WORD

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pigpen.sim.sim_random import SimRandom

Room = tuple[int, ...]
"""How many cards each group of places can still take; as a split, how many of one class it gets."""


class CardPlace(NamedTuple):
    """Where unseen cards may lie."""

    seat: int
    face_down: bool
    size: int


class Option(NamedTuple):
    """One way to split a class."""

    limit: int
    """It is drawn when the random word is below this and not below the limit of the option before."""
    split: Room
    room: Room
    """What is left for the classes after it."""


class Unfit(ValueError):
    """No deal at all fits the view: somebody has played what the rules do not allow."""


class Splits:
    """
    Every way to split classes of cards among groups of fixed sizes, and how many deals each way stands for.

    Attributes:
        cards: The cards of each class, as tuples of numbers.
        groups: For each class the groups that it may go to.
        root: What all the groups can take, before the first class.
        options: For each class what may be drawn, by the room that there is for it.
    """

    def __init__(self, classes: dict[tuple[int, ...], int], sizes: Sequence[int]) -> None:
        """
        Count.

        Args:
            classes: The cards (a mask) that may go to each set of groups; together as many as there is room.
            sizes: How many cards each group takes.

        Raises:
            Unfit: If there is no way.
        """
        # The class with the most freedom comes last: what room is left says how it must be split.
        ordered = sorted(classes.items(), key=lambda item: (len(item[0]), item[1].bit_count()))
        self.groups = [groups for groups, _ in ordered]
        self.cards = [tuple(map(int, cards_in(mask))) for _, mask in ordered]
        self.root: Room = tuple(sizes)
        self.options: list[dict[Room, list[Option]]] = [{} for _ in ordered]
        self._ways: dict[tuple[int, Room], int] = {}
        if not self.ways(0, self.root):
            raise Unfit("no deal fits this view")

    def ways(self, level: int, room: Room) -> int:
        """In how many ways the classes from number *level* on fill *room*."""
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
        """One of the deals: the cards of each group, as masks."""
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
    """Give each of *places* its part of *cards*; the last of them takes what is left, without random numbers."""
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
    """Every way to split *count* cards among *groups*, from group number *first* on."""
    if first == len(room):
        if not count:
            yield ()
        return
    for part in range(min(count, room[first]) + 1) if first in groups else (0,):
        for rest in _parts(count - part, room, groups, first + 1):
            yield (part, *rest)


def shuffles(split: Room) -> int:
    """In how many ways the cards of a class can be split so: a multinomial coefficient."""
    ways = factorial(sum(split))
    for part in split:
        ways //= factorial(part)
    return ways
