"""
The unseen cards dealt at random, each deal that fits a view as likely as any other.

What is known (`Evidence`) says for each unseen card to which places it may go. A place is a seat, or the cards that
a seat has put face down unseen (GS-2). Cards that may go to the same places are a class; places that the same cards
may go to are a group. How many cards of a class go to each group is drawn from a table of exact counts, made class by
class (`Splits`); which cards those are is then a shuffle within the class, and where they lie one within the group.
"""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate
from math import factorial
from typing import TYPE_CHECKING, NamedTuple

from pigpen.rules.cards import cards_in, mask_of
from pigpen.sim import native
from pigpen.sim.chance import WORD
from pigpen.sim.inference import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pigpen.rules.view import View
    from pigpen.sim.chance import Chance
    from pigpen.sim.native.binding import Tables

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
                counts.append(ways * _shuffles(split))
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

    def draw(self, chance: Chance) -> list[int]:
        """One of the deals: the cards of each group, as masks."""
        masks = [0] * len(self.root)
        room = self.root
        for cards, groups, table in zip(self.cards, self.groups, self.options, strict=True):
            options = table[room]
            option = options[0] if len(options) == 1 else _drawn(options, chance.word())
            spread(list(cards), groups, option.split, chance, masks)
            room = option.room
        return masks


def _drawn(options: list[Option], word: int) -> Option:
    for option in options:
        if word < option.limit:
            return option
    raise AssertionError("the last limit is above every word")


def spread(cards: list[int], places: Sequence[int], split: Sequence[int], chance: Chance, masks: list[int]) -> None:
    """Give each of *places* its part of *cards*; the last of them takes what is left, which needs no chance."""
    begin, last = 0, len(cards) - 1
    for place in places[:-1]:
        mask = masks[place]
        for taken in range(begin, begin + split[place]):
            other = taken + chance.below(last + 1 - taken)
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


def _shuffles(split: Room) -> int:
    """In how many ways the cards of a class can be split so: a multinomial coefficient."""
    ways = factorial(sum(split))
    for part in split:
        ways //= factorial(part)
    return ways


class Unseen:
    """
    The unseen cards of a view, ready to be dealt again and again.

    Attributes:
        evidence: What is known of the other hands.
        places: Where unseen cards may lie.
        sizes: How many cards lie in each place.
        groups: The places that the same cards may go to.
        splits: How the cards may be dealt to the groups.
        known: What each seat holds for certain, as masks; for the seat that looks, its hand.
    """

    def __init__(self, view: View) -> None:
        """
        Take in what *view* tells.

        Raises:
            Unfit: If no deal fits it.
        """
        self.evidence = evidence = Evidence(view)
        others = [seat for seat in range(view.rules.players) if seat != view.seat]
        self.known = list(evidence.present)
        self.known[view.seat] = view.hand_mask
        face_up = sum(shown.card.mask for shown in view.exposures)
        candidates = view.rules.plan.exposable & ~face_up
        hidden = [CardPlace(seat, True, view.hidden[seat]) for seat in others if view.hidden[seat]]
        sizes = {seat: evidence.sizes[seat] - view.hidden[seat] for seat in others}
        self.places = [CardPlace(seat, False, sizes[seat]) for seat in others] + hidden
        sets = [
            mask_of(card for card in view.unseen if self._may_lie(card.mask, place, candidates))
            for place in self.places
        ]
        by_set: dict[int, list[int]] = {}
        for number, cards in enumerate(sets):
            by_set.setdefault(cards, []).append(number)
        self.groups = list(by_set.values())
        classes: dict[tuple[int, ...], int] = {}
        for card in view.unseen:
            groups = tuple([group for group, cards in enumerate(by_set) if cards & card.mask])
            classes[groups] = classes.get(groups, 0) | card.mask
        self.sizes = [place.size for place in self.places]
        self.splits = Splits(classes, [sum(self.sizes[place] for place in group) for group in self.groups])

    def ways(self) -> int:
        """How many deals there are."""
        splits, ways = self.splits, 1
        for group in self.groups:
            ways *= _shuffles(tuple(self.sizes[place] for place in group))
        return ways * splits.ways(0, splits.root)

    @cached_property
    def tables(self) -> Tables:
        """The same as the accelerated engine reads it."""
        from pigpen.sim.native.binding import pack_unseen  # only where that engine runs

        return pack_unseen(self)

    def _may_lie(self, bit: int, place: CardPlace, candidates: int) -> bool:
        elsewhere = any(bit & known for seat, known in enumerate(self.known) if seat != place.seat)
        absent = bit & self.evidence.absent[place.seat]
        return not elsewhere and not absent and (not place.face_down or bool(bit & candidates))

    def draw(self, chance: Chance) -> tuple[list[int], list[int]]:
        """
        Deal the unseen cards.

        Returns:
            The cards that each other seat holds, and those of them that lie face down unseen, as masks; zero for the
            seat that looks.
        """
        hands, down = [0] * len(self.known), [0] * len(self.known)
        engine = native.engine()
        lie = engine.sample(self.tables, chance) if engine else self._lie(chance)
        for place, mask in zip(self.places, lie, strict=True):
            hands[place.seat] |= mask
            if place.face_down:
                down[place.seat] = mask
        return hands, down

    def _lie(self, chance: Chance) -> list[int]:
        """The cards of each place, dealt once."""
        lie = [0] * len(self.places)
        for group, mask in zip(self.groups, self.splits.draw(chance), strict=True):
            spread(list(cards_in(mask)), group, self.sizes, chance, lie)
        return lie
