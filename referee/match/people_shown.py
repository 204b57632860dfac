"""Moments of a table for the people at it, sent to their seats while the match is played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pigpen.values.seen import Seen
from pigpen.values.view import View

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pigpen.rules import Deal
    from referee.match.observer import Steps
    from referee.records.lines import DealLine, MatchLine, ResultLine


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
