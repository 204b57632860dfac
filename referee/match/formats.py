"""Match formats: which deals are played at which table, who sits where, and when a match ends."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from pigpen.rules import Deal, Game, Rules
from referee.match.seating import seats_of

if TYPE_CHECKING:
    from collections.abc import Callable


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
