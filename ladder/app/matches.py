"""
Matches of a ladder, for readers: results, the queue, one match and its record.

A record is read once, with what has to be known of the whole match to show one of its deals.
"""

from __future__ import annotations

import enum
import threading
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from ladder.errors import UserError
from ladder.store import lookup
from ladder.store.models import Status
from ladder.store.queries import matches as explanations
from ladder.store.queries.matches import match_row, results, unfinished
from ladder.values.matches import MAX_FAULTS, DealPlace, DealScores, FaultPlace, MatchList, MatchPage, MatchScores
from ladder.values.names import label
from referee.match.formats import by_bot
from referee.records.file import read_record
from referee.records.framing import RecordError
from referee.records.lines import DealLine
from referee.records.recorded import BadRecord, Recorded, seats_of
from referee.records.steps import was_asked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.store.database import Session
    from ladder.values.matches import Explanation, MatchRow
    from referee.records.lines import AnyLine

KEPT = 8
"""Records that stay in memory: of each, as much as its packed file has."""

_reading = threading.Lock()


@dataclass
class RecordedMatch:
    """A record."""

    recorded: Recorded
    has_boards: bool
    where: dict[DealPlace, int]
    """The place of each deal among the deals of `recorded`, in that order."""
    decisions: dict[DealPlace, tuple[int, ...]]
    """Number of decisions that each bot, by its number, had been asked for in this rotation before the deal."""
    faults: tuple[FaultPlace, ...]
    """Every fault, in the order of the deals."""


def read_recorded(path: Path) -> RecordedMatch:
    """
    Read a record, or take it from memory.

    Raises:
        UserError: If it cannot be read, or holds no deal.
    """
    try:
        found = path.stat()
        with _reading:  # the same record is wanted by several requests at a time
            return _read(path, found.st_mtime_ns, found.st_size)
    except OSError as error:
        raise UserError(f"The record {path.name!r} cannot be read: {error.strerror}.") from None
    except (BadRecord, RecordError) as error:
        raise UserError(f"The record {path.name!r} cannot be replayed: {_words(error)}.") from None


@lru_cache(maxsize=KEPT)
def _read(path: Path, changed: int, size: int) -> RecordedMatch:
    """Read a file; it is another one when its time or size is."""
    return understood(read_record(path))


def understood(lines: Iterable[AnyLine]) -> RecordedMatch:
    """
    Take the lines of a record.

    Raises:
        BadRecord: If they make no sense, or hold no deal.
    """
    survey = _Found()
    recorded = Recorded.of(survey.watch(lines))
    if not recorded.deals:
        raise BadRecord("it holds no deal")
    places = sorted(survey.decisions, key=lambda place: (place.board, place.rotation))
    faults = sorted(survey.faults, key=lambda fault: (fault.board, fault.rotation, fault.step))
    return RecordedMatch(
        recorded=recorded,
        has_boards=recorded.deals[0].board is not None,
        where={place: index for index, place in enumerate(places)},
        decisions=survey.decisions,
        faults=tuple(faults[:MAX_FAULTS]),
    )


@dataclass
class _Found:
    """Looks at the lines of a record as they are read; those of one rotation come in order."""

    decisions: dict[DealPlace, tuple[int, ...]] = field(default_factory=dict)
    faults: list[FaultPlace] = field(default_factory=list)
    _so_far: dict[int, list[int]] = field(default_factory=dict)

    def watch(self, lines: Iterable[AnyLine]) -> Iterator[AnyLine]:
        for line in lines:
            yield line
            if isinstance(line, DealLine):  # behind `yield`: now it is known that its seats make sense
                self._take(line)

    def _take(self, line: DealLine) -> None:
        place = place_of(line)
        if place in self.decisions:
            raise BadRecord(f"{line.name} is there twice")
        bots = seats_of(line)
        count = self._so_far.setdefault(place.rotation, [0] * len(bots))
        self.decisions[place] = tuple(count)
        for number, step in enumerate(line.steps, 1):
            count[bots[step.seat]] += was_asked(step.by)
            if step.why is not None:
                fault = FaultPlace(board=place.board, rotation=place.rotation, step=number, bot=bots[step.seat])
                self.faults.append(fault)


def place_of(line: DealLine) -> DealPlace:
    """Say where a deal is in its match."""
    if line.board is None:
        return DealPlace(board=line.deal + 1, rotation=1)
    return DealPlace(board=line.board + 1, rotation=(line.rotation or 0) + 1)


def _words(error: Exception) -> str:
    """Leave the folders of this machine out of a message."""
    return str(error).rsplit("/", 1)[-1].rstrip(".")


class MatchStatus(enum.StrEnum):
    """The status of a match, in the words of the command."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    QUARANTINED = "quarantined"


STORED = {
    MatchStatus.QUEUED: Status.QUEUED,
    MatchStatus.RUNNING: Status.LEASED,
    MatchStatus.QUARANTINED: Status.QUARANTINED,
}


def matches(
    ladder: Ladder,
    variant: str | None = None,
    bot: str | None = None,
    statuses: Iterable[MatchStatus] = (MatchStatus.RUNNING, MatchStatus.DONE),
    limit: int = 20,
) -> list[MatchRow]:
    """
    Read matches: results, the newest first, and others, the oldest first.

    Args:
        ladder: The ladder.
        variant: Only of this one.
        bot: Only with this bot, or this version of it.
        statuses: Which, in this order.
        limit: Number of matches to give at most for each status.

    Raises:
        LadderError: If there is no such variant, bot or version.
    """
    with ladder.database.read() as session:
        versions = _wanted(session, variant, bot)
        found: list[MatchRow] = []
        for status in statuses:
            if status is MatchStatus.DONE:
                found += results(session, limit, variant, versions)
            else:
                found += unfinished(session, STORED[status], limit, variant, versions)
        return found


def newest(
    ladder: Ladder, variant: str | None = None, bot: str | None = None, before: int | None = None, limit: int = 50
) -> MatchList:
    """
    Read results, the newest first, some at a time.

    Args:
        ladder: The ladder.
        variant: Only of this one.
        bot: Only with this bot, or this version of it.
        before: Only results older than this; the value of `MatchList.next`.
        limit: Number of matches to give at most, from 1.

    Raises:
        LadderError: If there is no such variant, bot or version.
    """
    with ladder.database.read() as session:
        found = results(session, limit + 1, variant, _wanted(session, variant, bot), before)
    return MatchList(matches=tuple(found[:limit]), next=found[limit - 1].ordinal if len(found) > limit else None)


def unfinished_matches(
    ladder: Ladder,
    status: MatchStatus,
    variant: str | None = None,
    bot: str | None = None,
    after: int | None = None,
    limit: int = 50,
) -> MatchList:
    """
    Read matches of a status other than done, the oldest first, some at a time.

    Args:
        ladder: The ladder.
        status: Any but `MatchStatus.DONE`.
        variant: Only of this one.
        bot: Only with this bot, or this version of it.
        after: Only matches with a higher number; the value of `MatchList.next`.
        limit: Number of matches to give at most, from 1.

    Raises:
        LadderError: If there is no such variant, bot or version.
    """
    with ladder.database.read() as session:
        found = unfinished(session, STORED[status], limit + 1, variant, _wanted(session, variant, bot), after)
    return MatchList(matches=tuple(found[:limit]), next=found[limit - 1].id if len(found) > limit else None)


def match(ladder: Ladder, number: int) -> MatchPage:
    """
    Read one match, with the file of its record.

    Raises:
        LadderError: If there is none of that number.
    """
    row = public_match(ladder, number)
    record = ladder.files.record(row.id, row.attempt) if row.record_kept else None
    return MatchPage(**dict(row), record=None if record is None else str(record))


def public_match(ladder: Ladder, number: int) -> MatchRow:
    """
    Read the public facts of a match.

    Raises:
        LadderError: If there is none of that number.
    """
    with ladder.database.read() as session:
        return match_row(session, lookup.find_match(session, number))


def explanation(ladder: Ladder, number: int) -> Explanation:
    """
    Explain how a match moved the ratings: computed again from the places, and held against what is stored.

    Raises:
        LadderError: If there is none of that number.
        UserError: If it is not done, or of an event.
    """
    with ladder.database.read() as session:
        row = match_row(session, lookup.find_match(session, number))
        if row.status != Status.DONE:
            raise UserError(f"Match {number} is {row.status}: it has changed no rating yet.")
        if row.ordinal is None:
            raise UserError(f"Match {number} is of an event: it changes no rating.")
        return explanations.explanation(row, lookup.find_variant(session, row.variant))


def record_of(ladder: Ladder, number: int) -> Path:
    """
    Find the record of a match that is done.

    Raises:
        LadderError: If there is none of that number.
        UserError: If it has no record, or none any more.
    """
    with ladder.database.read() as session:
        found = lookup.find_match(session, number)
        if found.status != Status.DONE:
            raise UserError(f"Match {found.id} is not over yet, so there is no record of it.")
        if not found.record_kept:
            raise UserError(f"The record of match {found.id} was removed: see the setting records (pigpen config).")
        return ladder.files.record(found.id, found.attempt)


def scores(ladder: Ladder, number: int) -> MatchScores:
    """
    Read what each deal of a match brought each bot.

    Raises:
        LadderError: If there is none of that number.
        UserError: If it has no record, or none any more.
        PigpenError: If its record cannot be read.
    """
    path = record_of(ladder, number)
    row = match(ladder, number)
    recorded = Recorded.of(read_record(path))
    return MatchScores(
        match=number,
        bots=tuple(label(seat.bot, seat.version) for seat in row.seats),
        low_is_better=recorded.rules.low_is_better,
        deals=tuple(_scores(line) for line in recorded.deals),
    )


def _scores(line: DealLine) -> DealScores:
    seats = seats_of(line)
    faults = [0] * len(seats)
    for step in line.steps:
        faults[seats[step.seat]] += step.why is not None
    return DealScores(
        **dict(place_of(line)),
        name=line.name,
        scores=by_bot(line.scores, seats),
        faults=tuple(faults),
    )


def _wanted(session: Session, variant: str | None, bot: str | None) -> list[int] | None:
    """Say whose matches are meant, once there is such a variant: all versions of a bot, or one; None: all."""
    if variant is not None:
        lookup.find_variant(session, variant)
    if bot is None:
        return None
    if "@" in bot:
        return [lookup.named_version(session, bot).id]
    return [version.id for version in lookup.versions_of(session, bot)]
