"""
Observers of a match while it is played: of each deal, each decision, the result.

One of them, `PeopleShown`, sends moments of a table to the seats of the people at it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from pigpen.values.view import Seen, View

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pigpen.rules import Deal
    from referee.match.player import Decision
    from referee.records.lines import DealLine, MatchLine, ResultLine

    Steps = Sequence[tuple[int, Decision]]
    """Seats, and what each of them did."""


class Observer(Protocol):
    """
    Receives everything that happens in a match, hidden cards too; it decides what others may know.

    The match continues when a method returns: it must not wait for anything. What it is given must not be changed,
    and a `Deal` changes further after the call.
    """

    def match_begins(self, first: MatchLine) -> None:
        """Learn that the first table stands; *first* is the record's first line. It is not called on resuming."""

    def deal_begins(self, table: int, deal: Deal, seats: tuple[int, ...], totals: tuple[int, ...]) -> None:
        """
        Learn that the cards of a deal are dealt.

        Args:
            table: Number of the table, from 0.
            deal: The deal, before the first decision.
            seats: Number of the bot in each seat.
            totals: Total of the bot in each seat before this deal.
        """

    def decided(self, table: int, deal: Deal, steps: Steps) -> None:
        """
        Learn that a question is answered: by one seat, or a sealed one by all that were asked.

        Args:
            table: Number of the table.
            deal: The deal, after this.
            steps: Each seat with its decision, which holds its fault if there was one.
        """

    def deal_over(self, table: int, line: DealLine) -> None:
        """Learn that a deal is over; *line* is what the record says of it."""

    def match_over(self, result: ResultLine) -> None:
        """Learn that all tables are done; *result* is the last line of the record, with the seed."""

    def failed(self, error: Exception) -> None:
        """Learn that one of the methods above has raised *error*; this is the last call."""


class Announcer:
    """Passes on to an observer what happens; one that fails is not called any more, and the match continues."""

    def __init__(self, observer: Observer) -> None:
        self._observer: Observer | None = observer

    def match_begins(self, first: MatchLine) -> None:
        """See `Observer`."""
        if self._observer:
            self._call(self._observer.match_begins, first)

    def deal_begins(self, table: int, deal: Deal, seats: tuple[int, ...], totals: tuple[int, ...]) -> None:
        """See `Observer`."""
        if self._observer:
            self._call(self._observer.deal_begins, table, deal, seats, totals)

    def decided(self, table: int, deal: Deal, steps: Steps) -> None:
        """See `Observer`."""
        if self._observer:
            try:  # not by _call: this is called for every card
                self._observer.decided(table, deal, steps)
            except Exception as error:  # an observer may raise anything
                self._give_up(error)

    def deal_over(self, table: int, line: DealLine) -> None:
        """See `Observer`."""
        if self._observer:
            self._call(self._observer.deal_over, table, line)

    def match_over(self, result: ResultLine) -> None:
        """See `Observer`."""
        if self._observer:
            self._call(self._observer.match_over, result)

    def _call(self, method: Callable[..., None], *arguments: object) -> None:
        try:
            method(*arguments)
        except Exception as error:  # an observer may raise anything
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        observer, self._observer = self._observer, None
        if observer:
            with suppress(Exception):
                observer.failed(error)


class ShownSeat(Protocol):
    """A seat that sends its person what it sees."""

    def show(self, seen: Seen) -> None:
        """Send the person what it sees now; do not wait."""


class PeopleShown:
    """An observer that shows each person what its own seat may see (C-9), and nothing else."""

    def __init__(self, names: Sequence[str]) -> None:
        """Begin without people; *names* are those of the bots and people of the match, by their numbers."""
        self._names = names
        self._people: dict[int, Mapping[int, ShownSeat]] = {}
        self._seated: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}

    def seat(self, table: int, people: Mapping[int, ShownSeat]) -> None:
        """Note that these *people*, by their numbers, sit at a table that is about to play."""
        self._people[table] = people

    def match_begins(self, first: MatchLine) -> None:
        """See `referee.match.observer.Observer`."""

    def deal_begins(self, table: int, deal: Deal, seats: tuple[int, ...], totals: tuple[int, ...]) -> None:
        """Show the cards dealt."""
        self._seated[table] = seats, totals
        self._show(table, deal)

    def decided(self, table: int, deal: Deal, steps: Steps) -> None:
        """Show what has been done."""
        self._show(table, deal)

    def deal_over(self, table: int, line: DealLine) -> None:
        """See `referee.match.observer.Observer`; each seat gets the end of a deal as a bot does."""

    def match_over(self, result: ResultLine) -> None:
        """See `referee.match.observer.Observer`."""

    def failed(self, error: Exception) -> None:
        """Show nothing more; the match continues."""

    def _show(self, table: int, deal: Deal) -> None:
        seats, totals = self._seated[table]
        names = tuple(self._names[bot] for bot in seats)
        for bot, seat in self._people.get(table, {}).items():
            seat.show(Seen(View(*deal.known_to(seats.index(bot)), totals=totals), names))
