"""Match formats: which deals are played at which table, who sits where, and when a match ends."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from pigpen.rules import Deal, Game, Rules
from referee.match.seating import seats_of

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Format:
    """
    How many deals a match has; both None: ``game``.

    ``game``: deals until the variant's own end. ``deals:N``: N independent deals in one seating, every one a first
    deal, deal k passing in direction k of the cycle. ``boards:N``: the same deals, each played once in every
    rotation of the bots, and each rotation at a table of its own, where nobody has seen the cards before.
    """

    deals: int | None = None
    """The number of independent deals."""
    boards: int | None = None
    """The number of boards."""

    @classmethod
    def parse(cls, text: str) -> Format:
        """
        Read a format as it is written.

        Raises:
            ValueError: If *text* is none.
        """
        if text == "game":
            return cls()
        found = re.fullmatch(r"(deals|boards):([1-9]\d{0,8})", text, flags=re.ASCII)
        if not found:
            raise ValueError(
                f"{text!r} is not a match format; write game, deals:N or boards:N with N from 1 to 999999999"
            )
        return cls(**{found[1]: int(found[2])})

    def __str__(self) -> str:
        if self.boards is not None:
            return f"boards:{self.boards}"
        return "game" if self.deals is None else f"deals:{self.deals}"

    def tables(self, rules: Rules) -> int:
        """How many tables a match has: one, or one for each rotation of the boards."""
        return 1 if self.boards is None else rules.players

    def count(self, rules: Rules) -> int | None:
        """How many deals a match has, at all tables together; None where that is not known beforehand."""
        deals = self.deals if self.boards is None else self.boards
        return None if deals is None else deals * self.tables(rules)

    def seats(self, rules: Rules, seed: bytes, table: int, deal: int) -> tuple[int, ...]:
        """Give the number of the bot in each seat of deal number *deal* at table number *table*."""
        return tuple(range(rules.players)) if self.boards is None else seats_of(rules, seed, deal, table)

    def start(self, rules: Rules, seed: bytes, table: int) -> Game:
        """The running totals of a fresh table, by the numbers of the bots."""
        count = self.deals if self.boards is None else self.boards
        return Game(rules) if count is None else IndependentDeals(rules, count, partial(self.seats, rules, seed, table))


class IndependentDeals(Game):
    """A fixed number of deals, each of them a first deal, with one running total for each bot wherever it sits."""

    def __init__(self, rules: Rules, count: int, seats: Callable[[int], tuple[int, ...]]) -> None:
        super().__init__(rules)
        self._count = count
        self._seats = seats

    @property
    def is_over(self) -> bool:
        """Whether all deals have been played."""
        return self.deals >= self._count

    def _points(self, deal: Deal) -> tuple[int, ...]:
        return by_bot(deal.scores(), self._seats(deal.number))

    def _leader_after(self, deal: Deal) -> int | None:
        """Nobody leads for having taken a card: the holder of the opening card does."""
        return None


def by_bot(values: tuple[int, ...], seats: tuple[int, ...]) -> tuple[int, ...]:
    """Put what each seat has in the order of the bots that sit there."""
    return tuple(value for _, value in sorted(zip(seats, values, strict=True)))
