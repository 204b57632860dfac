"""The bracket of an event whose stages bots leave round by round: who sat at which table, and where each advanced."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from ladder.events.event_file import parse_event

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ladder.values.held_events import EventPage, EventRoundPage, EventTableRow

LEAVING = ("pods", "halving")
"""Kinds of stages that bots leave after each round."""
MAX_SEATS = 64
"""The most seats of a column, play-offs aside; greater rounds have pages of their own only."""


@dataclass(frozen=True)
class Seat:
    """A bot at a table of the bracket."""

    number: int
    """In the event; negative: a stand-in."""
    name: str
    points: float | None
    """Board points; None: not shown yet."""
    to: int | None = None
    """The table of the next column at which it sits, from 1; 0: its next stage has several rounds; None: at none."""


@dataclass(frozen=True)
class Pod:
    """A table of the bracket, or all tables of a stage of several rounds."""

    round: int
    """Within the event, from 1; of a stage its first one."""
    table: int
    """Within the round, from 1; 0: all tables of a stage."""
    is_play_off: bool
    seats: tuple[Seat, ...]
    """The best first, as far as results are shown."""


@dataclass(frozen=True)
class Column:
    """A round and its play-offs, or a stage of several rounds."""

    stage: str
    round: int
    """Within its stage, from 1; 0: all of them."""
    pods: tuple[Pod, ...]

    @property
    def tables(self) -> int:
        """Number of its tables, play-offs aside."""
        return sum(not pod.is_play_off for pod in self.pods)

    def where(self) -> dict[int, int]:
        """Give for each bot by number the table at which it begins: `Seat.to` of the column before."""
        return {
            seat.number: pod.table for pod in self.pods if not pod.is_play_off for seat in pod.seats if seat.number > 0
        }


def going_on(page: EventPage) -> dict[int, frozenset[int]]:
    """Give for each round that bots leave, of pods or halving, who sits at a table of the next one, by number."""
    kinds = _kinds(page)
    rounds = [one for one in page.round_list if one.kind == "round"]
    return {
        one.number: frozenset(number for table in following.tables for number in table.entrants if number > 0)
        for one, following in pairwise(rounds)
        if kinds[one.stage] in LEAVING
    }


def bracket(page: EventPage) -> tuple[Column, ...]:
    """Give the columns from the first round of pods or halving on; none if an event has no such stage, or not yet."""
    kinds = _kinds(page)
    first = next((place for place, one in enumerate(page.round_list) if kinds[one.stage] in LEAVING), None)
    if first is None:
        return ()
    columns = [_column(rounds, kinds) for rounds in _columns(page.round_list[first:], kinds)]
    linked = [_linked(one, following.where()) for one, following in pairwise(columns)] + columns[-1:]
    return tuple(one for one in linked if sum(len(pod.seats) for pod in one.pods if not pod.is_play_off) <= MAX_SEATS)


def _kinds(page: EventPage) -> dict[str, str]:
    return {stage.name: stage.kind for stage in parse_event(page.file).stages}


def _columns(rounds: Iterable[EventRoundPage], kinds: Mapping[str, str]) -> Iterator[list[EventRoundPage]]:
    """Yield the rounds in columns, each with the play-offs after it; a stage that no bot leaves meanwhile is one."""
    found: list[EventRoundPage] = []
    for one in rounds:
        is_same = bool(found) and one.stage == found[-1].stage
        if found and not (one.kind == "play-off" or (is_same and kinds[one.stage] not in LEAVING)):
            yield found
            found = []
        found.append(one)
    if found:
        yield found


def _column(rounds: Sequence[EventRoundPage], kinds: Mapping[str, str]) -> Column:
    plain = [one for one in rounds if one.kind == "round"]
    play_offs = [_pod(one, table) for one in rounds if one.kind == "play-off" for table in one.tables]
    first = plain[0]
    if len(plain) == 1 and (kinds[first.stage] in LEAVING or len(first.tables) == 1):
        return Column(first.stage, first.round, (*(_pod(first, table) for table in first.tables), *play_offs))
    return Column(first.stage, 0, (_whole(plain), *play_offs))


def _pod(one: EventRoundPage, table: EventTableRow) -> Pod:
    points = table.points or [None] * len(table.bots)
    seats = (Seat(*each) for each in zip(table.entrants, table.bots, points, strict=True))
    return Pod(one.number, table.number, one.kind == "play-off", _in_order(seats))


def _whole(rounds: Sequence[EventRoundPage]) -> Pod:
    """Make one of all tables of a stage: its bots, and the sums of their board points as far as they are shown."""
    seats: dict[int, Seat] = {}
    for seat in (seat for one in rounds for table in one.tables for seat in _pod(one, table).seats if seat.number > 0):
        before = seats.get(seat.number, Seat(seat.number, seat.name, None))
        known = [each for each in (before.points, seat.points) if each is not None]
        seats[seat.number] = replace(before, points=sum(known) if known else None)
    return Pod(rounds[0].number, 0, False, _in_order(seats.values()))


def _in_order(seats: Iterable[Seat]) -> tuple[Seat, ...]:
    return tuple(sorted(seats, key=lambda seat: -(seat.points or 0)))


def _linked(column: Column, where: Mapping[int, int]) -> Column:
    pods = (
        replace(pod, seats=tuple(replace(seat, to=where.get(seat.number)) for seat in pod.seats)) for pod in column.pods
    )
    return replace(column, pods=tuple(pods))
