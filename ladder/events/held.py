"""An event that is held: what has been drawn, played and ruled, from which all else follows."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from ladder.errors import UserError
from ladder.events.course import Course, NextRound, Standings
from ladder.events.entrants import Lots, PlayedRound, TableResult, is_stand_in
from ladder.events.scoring import put_last

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ladder.events.entrants import Entrant, Table
    from ladder.values.events import Event
    from pigpen.rules import Rules


@dataclass(frozen=True)
class Ruling:
    """The organiser's decision that some are last at a table."""

    last: tuple[int, ...]
    """By number; on each board they are behind all others, and level with each other."""
    after: int
    """The rounds that had been drawn; their draws do not know of it."""
    reason: str
    by: str
    """The account; empty: a person on the ladder's machine."""
    at: float
    """Unix time."""


@dataclass(frozen=True)
class HeldTable:
    """A table, as it counts."""

    table: Table
    turn: int
    """Number of times that the organiser has let it be played again."""
    boards: tuple[tuple[int, ...], ...] | None
    """As in `TableResult`; None: not played yet."""
    deals: int
    rulings: tuple[Ruling, ...] = ()

    def result(self, after: int | None = None) -> TableResult:
        """Give what counts: now, or for the draw after *after* rounds."""
        boards = self.boards or ()
        for ruling in self.rulings:
            if after is None or ruling.after <= after:
                boards = tuple(put_last(points, [self.table.index(one) for one in ruling.last]) for points in boards)
        return TableResult(self.table, boards, self.deals)


@dataclass(frozen=True)
class HeldRound:
    """A round that was drawn."""

    stage: int
    round: int
    """From 1, within the stage."""
    kind: str
    boards: int | None
    """Of each match; None: a game."""
    tables: tuple[HeldTable, ...]

    @property
    def is_over(self) -> bool:
        """True if all tables have been played."""
        return all(table.boards is not None for table in self.tables)

    @property
    def entrants(self) -> frozenset[int]:
        """Those who play it."""
        return frozenset(one for table in self.tables for one in table.table if not is_stand_in(one))


@dataclass(frozen=True)
class Held:
    """An event, as far as it has come."""

    event: Event
    rules: Rules
    entrants: tuple[Entrant, ...]
    seed: bytes
    left: Mapping[int, int] = field(default_factory=dict)
    """By number of those who have left: the rounds that had been drawn then."""
    rounds: tuple[HeldRound, ...] = ()

    @cached_property
    def lots(self) -> Lots:
        """Its lots."""
        return Lots.of(self.seed, self.entrants)

    def match_seed(self, stage: int, round_number: int, table: int, turn: int = 0) -> bytes:
        """
        Give the seed of the match at a table.

        Args:
            stage: Its place in the file, from 0.
            round_number: From 1, within the stage.
            table: From 1.
            turn: How often the table is played again.
        """
        words = ("stage", stage, "round", round_number, "table", table)
        return self.lots.seed(*words, *(("again", turn) if turn else ()))

    def played(self, rounds: int, *, as_drawn: bool = False) -> Iterator[PlayedRound]:
        """Give the results of the first rounds, as they count now, or *as_drawn*: as the draw after them knew them."""
        after = rounds if as_drawn else None
        for held in self.rounds[:rounds]:
            yield PlayedRound(held.stage, held.round, tuple(table.result(after) for table in held.tables))

    def following(self, rounds: int | None = None, *, as_drawn: bool = False) -> NextRound | Standings:
        """
        Give what follows after the first *rounds* rounds, or after all: a round, or all places.

        Raises:
            UserError: If a ruling leads to another course than the one that was drawn.
        """
        count = len(self.rounds) if rounds is None else rounds
        return self._course().next_round(self.played(count, as_drawn=as_drawn))

    def standings(self, rounds: int) -> tuple[Standings, int]:
        """Give the order after the first rounds, and the stage whose it is: its place in the file."""
        course, last = self._course(), self.rounds[rounds - 1].stage if rounds else 0
        following = course.next_round(self.played(rounds))
        if isinstance(following, Standings):
            return following, last
        found = following.standings()
        return (found, following.stage) if found.rows else (course.last, last)

    def _course(self) -> Course:
        return Course(self.event, self.rules, self.entrants, self.lots, self.left)

    def check_course(self) -> None:
        """
        Check that the rounds that were drawn are still the right ones, by what counts now.

        Raises:
            UserError: If others would have advanced, or another round would have been played.
        """
        course, results, number = self._course().rounds(), list(self.played(len(self.rounds))), 0
        try:
            coming = next(course)
            for number, (round_held, played) in enumerate(zip(self.rounds, results, strict=True), 1):
                if why := differs(round_held, coming, number):
                    raise UserError(f"With that, {why}, and it has been drawn already; nothing was changed.")
                if not round_held.is_over:  # what follows it is not known yet
                    return
                coming = course.send(played)
        except StopIteration:
            if number < len(self.rounds):
                raise UserError(f"With that, round {number + 1} is not needed; nothing was changed.") from None


def differs(held: HeldRound, coming: NextRound, number: int) -> str:
    """Say how a round differs from the one that should be there; empty if it does not."""
    what = (held.stage, held.round, held.kind, held.boards)
    if what != (coming.stage, coming.number, coming.kind, coming.boards):
        return f"round {number} is another one"
    if held.entrants != coming.entrants:
        return f"others play round {number}"
    return ""
