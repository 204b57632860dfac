"""
Specification of a match: its rules, bots, seating, format, clocks and seed.

A format says which deals are played at which table, who sits where, and when a match ends. On every board the bots sit
in another circular order, and each rotation moves them on by one seat. The recipe is part of the published one
(docs/deals.md), so that anyone can find the seats from the match seed.

`longest_match` gives the most time that a match can take when every bot uses all the time that it is allowed.
"""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from pigpen.rules import Deal, Game, Rules, new_seed
from pigpen.rules.shuffle import shuffle
from pigpen.values.notices import ClockSetting
from referee.seats.clock import MARGIN, NOTICE_SECONDS, WALL_CAP
from referee.seats.verdict import TAKEOVER_AT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
    orders = [(0, *others) for others in itertools.permutations(range(1, rules.players))]
    if rules.partners:
        orders = [order for order in orders if order[2] == 2]  # bots 0 and 2 sit opposite
    return shuffle(TAG, seed, 0, orders)[board % len(orders)]


@dataclass(frozen=True)
class Format:
    """
    Number of deals of a match; all None: ``game``.

    ``game``: deals until the variant's own end. ``deals:N``: N independent deals with each bot in one seat, every one a
    first deal, deal k passing in direction k of the cycle. ``boards:N``: the same deals, each played once in every
    rotation of the bots, and each rotation by instances of its own, which have not seen the cards before.
    ``board:B:R``: board B alone, in rotation R alone, as in ``boards:N`` with the same seed. B and R count from 0.
    """

    deals: int | None = None
    """The number of independent deals."""
    boards: int | None = None
    """The number of boards."""
    board: BoardPlace | None = None
    """The one board that is played, and its one rotation."""

    @classmethod
    def parse(cls, text: str) -> Format:
        """
        Read a format as it is written.

        Raises:
            ValueError: If *text* is none.
        """
        if text == "game":
            return cls()
        if found := re.fullmatch(r"board:(0|[1-9]\d{0,4}):([0-7])", text, flags=re.ASCII):
            return cls(board=BoardPlace(int(found[1]), int(found[2])))
        found = re.fullmatch(r"(deals|boards):([1-9]\d{0,8})", text, flags=re.ASCII)
        if not found:
            raise ValueError(
                f"{text!r} is not a match format; write game, deals:N or boards:N with N from 1 to 999999999, "
                "or board:B:R for board B in rotation R, both from 0 here"
            )
        count = int(found[2])
        return cls(deals=count) if found[1] == "deals" else cls(boards=count)

    def __str__(self) -> str:
        if self.board is not None:
            return f"board:{self.board.board}:{self.board.rotation}"
        if self.boards is not None:
            return f"boards:{self.boards}"
        return "game" if self.deals is None else f"deals:{self.deals}"

    @property
    def has_boards(self) -> bool:
        """True if the bots change seats from board to board; a deal then has a board and a rotation."""
        return self.boards is not None or self.board is not None

    def table_numbers(self, rules: Rules) -> range:
        """Give the numbers of the tables: 0, or those of the rotations of the boards."""
        if self.board is not None:
            return range(self.board.rotation, self.board.rotation + 1)
        return range(1 if self.boards is None else rules.players)

    def tables(self, rules: Rules) -> int:
        """Say how many tables a match has: one, or one for each rotation of the boards."""
        return len(self.table_numbers(rules))

    def count(self, rules: Rules) -> int | None:
        """Say how many deals a match has, at all tables together; None where that is not known beforehand."""
        return None if (deals := self._each()) is None else deals * self.tables(rules)

    def check(self, rules: Rules) -> None:
        """
        Check that a variant can be played in this format.

        Raises:
            ValueError: If it has no such rotation.
        """
        if self.board is not None and self.board.rotation >= rules.players:
            raise ValueError(
                f"{str(self)!r} is no format of {rules.name!r}: its last number is at most {rules.players - 1}"
            )

    def seats(self, rules: Rules, seed: bytes, table: int, deal: int) -> tuple[int, ...]:
        """Give the number of the bot in each seat of deal number *deal* at table number *table*."""
        return seats_of(rules, seed, deal, table) if self.has_boards else tuple(range(rules.players))

    def start(self, rules: Rules, seed: bytes, table: int) -> Game:
        """Make the running totals of a fresh table, by the numbers of the bots."""
        return self.started(rules, partial(self.seats, rules, seed, table))

    def started(self, rules: Rules, seats: Callable[[int], tuple[int, ...]]) -> Game:
        """Give the same where *seats* says who sits where in a deal."""
        count = self._each()
        first = 0 if self.board is None else self.board.board
        return Game(rules) if count is None else IndependentDeals(rules, count, seats, first)

    def _each(self) -> int | None:
        """Say how many deals a table has, if that is known."""
        if self.board is not None:
            return 1
        return self.deals if self.boards is None else self.boards


class BoardPlace(NamedTuple):
    """A board in one rotation."""

    board: int
    """Its number, from 0."""
    rotation: int
    """Number of its rotation, from 0; the referee plays each rotation at a table with that number."""


class IndependentDeals(Game):
    """A fixed number of deals, each of them a first deal, with one running total for each bot wherever it sits."""

    def __init__(self, rules: Rules, count: int, seats: Callable[[int], tuple[int, ...]], first: int = 0) -> None:
        """
        Begin before the first deal.

        Args:
            rules: The variant.
            count: How many deals there are.
            seats: Says who sits where in a deal.
            first: The number of the first deal; `deals` is always that of the next one.
        """
        super().__init__(rules)
        self.deals = first
        self._end = first + count
        self._seats = seats

    @property
    def is_over(self) -> bool:
        """True if all deals have been played."""
        return self.deals >= self._end

    def _points(self, deal: Deal) -> tuple[int, ...]:
        return by_bot(deal.scores(), self._seats(deal.number))

    def _leader_after(self, deal: Deal) -> int | None:
        """Give None: no seat leads for having taken a card; the holder of the opening card does."""
        return None


def format_for_bots(form: str) -> str:
    """
    Give the format that bots get: of a single board ``boards:1``, so that a bot need not know of others.

    >>> format_for_bots("board:7:3"), format_for_bots("boards:7")
    ('boards:1', 'boards:7')
    """
    return "boards:1" if form.startswith("board:") else form


def by_bot(values: tuple[int, ...], seats: tuple[int, ...]) -> tuple[int, ...]:
    """Put what each seat has in the order of the bots that sit there."""
    return tuple(value for _, value in sorted(zip(seats, values, strict=True)))


TABLE_SECONDS = 60.0
"""Seconds allowed to the platform itself for a table: to start its programs, to pass messages on, to clean up."""


def longest_match(rules: Rules, form: Format, clock: ClockSetting) -> float:
    """
    Give the most seconds that a match can take, its tables one after the other.

    The bots of a table are asked one at a time, and each pays for its own decisions: the bank bounds what a bot can
    use, and so the sum bounds the table. A sealed question is put to all at once, and the wall time of each counts
    only its share; so one bot alone can use the share of all.
    """
    tables = form.tables(rules)
    deals = _deals(rules, form)
    sealed = deals * ((rules.passing is not None) + (rules.exposing is not None))
    decisions = sealed + deals * (rules.hand_size + (rules.moon is not None))
    banks = math.ceil(deals / clock.deals_per_bank)
    used = min(decisions * clock.limit, banks * clock.bank + decisions * clock.increment)
    alone = min(sealed * clock.limit, rules.players * used)
    thinking = rules.players * (WALL_CAP * (used + alone) + decisions * MARGIN)
    notices = rules.players * (deals + TAKEOVER_AT + 2) * NOTICE_SECONDS
    return tables * (clock.start_up + thinking + notices + TABLE_SECONDS)


def _deals(rules: Rules, form: Format) -> int:
    """Compute the most deals at one table; a game that does not end by its score ends by its cap (C-8)."""
    count = form.count(rules)
    if count is not None:
        return count // form.tables(rules)
    return rules.end.cap if rules.end.deals is None else min(rules.end.cap, rules.end.deals)


DEFAULT_CLOCK = ClockSetting(bank=60.0, increment=0.1, limit=1.0, start_up=10.0)
PERSON_SECONDS = 30.0
"""Seconds of wall time that a person has for each decision where several people play, by default."""
NO_CLOCK_SECONDS = 30 * 24 * 3600.0
"""The limit of a person without a clock: longer than any table waits for its person."""


def person_clock(seconds: float | None = PERSON_SECONDS) -> ClockSetting:
    """
    Make a clock without a bank: *seconds* for each decision, and for taking the seat; None: no clock.

    >>> person_clock().limit
    30.0
    """
    limit = NO_CLOCK_SECONDS if seconds is None else seconds
    return ClockSetting(bank=0.0, increment=limit, limit=limit, start_up=max(seconds or 0.0, PERSON_SECONDS))


@dataclass(frozen=True)
class MatchSpec:
    """Specification of a match: its rules, bots, format, clocks and seed."""

    rules: Rules
    bots: tuple[str, ...]
    """A name for each bot, in the order of their numbers; the same bot may play several of them."""
    format: Format
    clock: ClockSetting = DEFAULT_CLOCK
    seed: bytes = field(default_factory=new_seed)
    """256 bits; everything random in the match comes from it."""
    people: Mapping[int, ClockSetting] = field(default_factory=dict, hash=False)
    """The people among the bots, by their numbers, each with a clock of its own."""

    def clock_of(self, bot: int) -> ClockSetting:
        """Give the clock of a bot, or a person, by its number."""
        return self.people.get(bot, self.clock)
