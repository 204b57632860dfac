"""
One attempt at a table: played from where its record and its journal end.

`TableRows` is the database access of the process that plays tables.
"""

from __future__ import annotations

import asyncio
import datetime
import math
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ladder.errors import SandboxError
from ladder.people.playing.play_with_people import play_with_people
from ladder.people.playing.table_programs import TableBots
from ladder.people.tables.own_part import has_decided
from ladder.runner.leased_rows import LeasedRows
from ladder.sandbox.bots.bot_source import find_bot, seat_names
from ladder.sandbox.host.scratch import disk_errors
from ladder.store.commands import people_tables as commands
from ladder.store.queries.leased_matches import leased_table
from ladder.store.queries.people_tables import finished_before
from ladder.store.table_models import PeopleTable
from ladder.values.people import ChairKind
from pigpen.values.notices import DealResult
from referee.match.formats import Format, MatchSpec, person_clock
from referee.match.journal import Journal
from referee.match.match import Unfinished
from referee.records.file import RecordWriter, read_record
from referee.records.framing import RecordError
from referee.records.journal_file import JournalFile
from referee.records.lines import DealLine, ResultLine
from referee.records.rules_file import rules_from
from referee.records.steps import was_asked
from referee.seats.fair_wait import loop_time

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterator, Mapping, Sequence
    from pathlib import Path

    from ladder.people.playing.table_programs import TablePrograms
    from ladder.results.files import TableFiles
    from ladder.store.database import Database, Session
    from ladder.store.leases import Lease
    from ladder.store.queries.leased_matches import LeasedTable
    from pigpen import ClockSetting
    from referee.match.observer import Steps
    from referee.records.lines import AnyLine
    from referee.seats.person_seat import PersonSeat

UNSTARTED_SECONDS = 3600.0
"""Seconds after which a table ends whose people have not come."""
UNATTENDED = "No one was at the table for 10 minutes."
FORGOTTEN = "It waited too long for the person who opened it."
DAY_OVER = "The day of this board is over (midnight UTC), so its results are open to all."
NOT_COME = "The people for whom it waited did not come within an hour."


class TableRows(LeasedRows[PeopleTable]):
    """The tables that one process has leased."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], float],
        idle_seconds: float,
        game_days: int,
        holder: str | None = None,
    ) -> None:
        """
        Prepare.

        Args:
            database: The ladder's.
            clock: Gives Unix time.
            idle_seconds: Seconds after which a guest's table ends that waits for people, and is empty.
            game_days: Days that a table waits for its one person.
            holder: Who leases them; None: this process.
        """
        super().__init__(database, commands.TABLES, clock, holder)
        self._idle_seconds = idle_seconds
        self._game_seconds = 24 * 3600.0 * game_days

    async def claim(self, count: int, not_now: Collection[int]) -> list[Lease]:
        """Lease at most *count* tables that are ready, but none of *not_now*."""
        now = self.clock()
        return await self.write(
            lambda session: commands.claim_tables(session, self.holder, now, self.seconds(session, now), count, not_now)
        )

    def maintain(self, session: Session, now: float) -> None:
        """End the tables that have waited for people too long, and the boards of days that are over."""
        commands.end_unstarted(session, now - UNSTARTED_SECONDS, NOT_COME, now)
        commands.end_unattended(session, now - self._idle_seconds, UNATTENDED, now)
        commands.end_forgotten(session, now - self._game_seconds, FORGOTTEN, now)
        today = datetime.datetime.fromtimestamp(now, datetime.UTC).date()
        commands.end_boards_before(session, today.isoformat(), DAY_OVER, now)

    async def remove_old(self, seconds: float) -> list[int]:
        """Remove guests' tables that ended more than *seconds* ago; give their numbers."""
        before = self.clock() - seconds

        def remove(session: Session) -> list[int]:
            found = list(finished_before(session, before))
            if found:
                commands.remove_tables(session, found)
            return found

        return await self.write(remove)

    async def leased(self, lease: Lease) -> LeasedTable:
        """Read what is needed to play."""
        return await self.read(lambda session: leased_table(session, lease.id))

    async def note_seats(self, lease: Lease, seats: Mapping[int, tuple[str, str]]) -> bool:
        """Store the addresses of people's seats; say whether the lease still holds."""
        return await self.write(lambda session: commands.note_seats(session, lease, seats))

    async def note_taken_back(self, lease: Lease) -> None:
        """Note that a card was taken back."""
        await self.write(lambda session: commands.note_taken_back(session, lease))

    async def note_deal(self, lease: Lease, totals: Sequence[int]) -> None:
        """Note that a deal is over."""
        now = self.clock()
        await self.write(lambda session: commands.note_deal(session, lease, totals, now))

    async def note_begun(self, lease: Lease) -> None:
        """Note that a person has decided something."""
        await self.write(lambda session: commands.note_begun(session, lease))

    async def pause(self, lease: Lease) -> None:
        """Let the table wait for its one person."""
        now = self.clock()
        await self.write(lambda session: commands.pause_table(session, lease, now))

    async def finish(
        self, lease: Lease, totals: Sequence[int], places: Sequence[int], absent: Collection[int] = ()
    ) -> bool:
        """Note that the table was played to its end; say whether the lease still held. See `finish_table`."""
        now = self.clock()
        return await self.write(lambda session: commands.finish_table(session, lease, totals, places, now, absent))

    async def end(self, lease: Lease, reason: str) -> None:
        """End a table before that."""
        now = self.clock()

        def end(session: Session) -> None:
            row = self.queue.held(session, lease)
            if row is not None:
                commands.end_table(session, row, reason, now)

        await self.write(end)


COMING_SECONDS = 15.0
"""Seconds that a table waits, when it begins or resumes, for people who are absent. They may come later, too."""


class _NotedJournal(Journal):
    """A journal that says so when a person at the table has decided something."""

    def __init__(self, file: JournalFile, spec: MatchSpec, decided: Callable[[], None]) -> None:
        super().__init__(file)
        self._spec = spec
        self._decided = decided

    def take(self, deal: int, steps: Steps) -> None:
        """See `Journal`."""
        super().take(deal, steps)
        if has_decided(self._spec, deal, self.lines(deal)[-1].steps):
            self._decided()


class TableRun:
    """
    Plays one table under a lease.

    Where one person plays among bots the table waits for that person: nothing is decided in its name, but by a clock
    that it has chosen.

    Attributes:
        lease: Which attempt at which table.
        persons: The seats of its people while it plays, by the numbers of the chairs.
        waits: True if it waits for its one person.
        acted: The time, by the event loop, of the person's last decision; of the beginning before that.
    """

    def __init__(
        self,
        lease: Lease,
        rows: TableRows,
        files: TableFiles,
        programs: TablePrograms,
        clock: ClockSetting,
        coming_seconds: float = COMING_SECONDS,
    ) -> None:
        """
        Prepare.

        Args:
            lease: What is to be played.
            rows: The database.
            files: The folders of tables.
            programs: Of the ladder's bots.
            clock: That of bots.
            coming_seconds: Seconds that the table waits, when it begins or resumes, for people who are absent.
        """
        self.lease = lease
        self.persons: Mapping[int, PersonSeat] = {}
        self.waits = False
        self.acted = loop_time()
        self._is_begun = False
        self._rows = rows
        self._programs = programs
        self._clock = clock
        self._coming_seconds = coming_seconds
        self._folder = files.folder(lease.id)
        self._record = files.record(lease.id)
        self._journal = files.journal(lease.id)
        self._notes: set[asyncio.Task[None]] = set()

    async def play(self) -> ResultLine:
        """
        Play it to its end, or until cancelled; what has been done is kept.

        Returns:
            The last line of its record, which is to be written into the row.

        Raises:
            BotRejected: If a bot cannot be loaded.
            CannotResume: If what was kept does not fit.
            SandboxError: If the platform failed.
            StoreError: If the database does not answer.
        """
        table = await self._rows.leased(self.lease)
        lines = _kept_lines(self._record)
        if lines and isinstance(lines[-1], ResultLine):  # killed between the last line and the last transaction
            return lines[-1]
        async with self._bots(table) as bots:
            with _full_disk(self._record), self._writer(lines) as record, JournalFile(self._journal) as journal:
                if table.take_back is not None:
                    await self._rows.note_taken_back(self.lease)  # first: a process that is killed must not do it twice
                    take_back(journal, _seat_of(table, table.take_back, lines))
                return await self._play(table, bots, lines, record, journal)

    async def _play(
        self,
        table: LeasedTable,
        bots: TableBots,
        lines: Sequence[AnyLine],
        record: RecordWriter,
        journal: JournalFile,
    ) -> ResultLine:
        recorded = Unfinished.of(lines).deals if lines else None
        people = [chair for chair, each in enumerate(table.chairs) if each.kind is ChairKind.PERSON]
        self.waits = len(people) == 1
        spec = spec_of(table, self._clock, self._coming_seconds)
        before = [(line.deal, line.steps) for line in recorded or ()]
        before += [(line.deal, line.steps) for line in journal.lines]
        if any(has_decided(spec, deal, steps) for deal, steps in before):  # that may not have been noted
            await self._rows.note_begun(self.lease)
        played = await play_with_people(
            spec,
            bots,
            {chair: partial(self._sit, chair) for chair in people},
            partial(self._write, record),
            recorded,
            _NotedJournal(journal, spec, self._decided),
            partial(self._seated, recorded or ()),
            table.practice,
        )
        return played.result

    @asynccontextmanager
    async def _bots(self, table: LeasedTable) -> AsyncIterator[TableBots]:
        bots = [each for each in table.chairs if each.kind is not ChairKind.PERSON]
        versions = {number: each.version for number, each in enumerate(bots) if each.version is not None}
        house = {number: find_bot(each.name) for number, each in enumerate(bots) if each.version is None}
        names = [each.name for each in bots]
        program = await self._programs.house()
        async with self._programs.loaded(versions) as programs:
            yield TableBots(names, house, program, programs)

    @asynccontextmanager
    async def _sit(self, chair: int, _: int, address: str, token: str) -> AsyncIterator[None]:
        """Write down the address of the seat; the program that plays there for the person connects by itself."""
        if not await self._rows.note_seats(self.lease, {chair: (address, token)}):
            raise SandboxError("This table has ended, or is played by another process.")
        yield

    def _seated(self, recorded: Sequence[DealLine], persons: Mapping[int, PersonSeat]) -> None:
        self.persons = persons
        for chair, seat in persons.items():
            if self.waits:
                seat.presence.wait = math.inf
            seat.recall([_result(line, chair) for line in recorded])

    def _write(self, record: RecordWriter, line: AnyLine) -> None:
        record.write(line)
        if isinstance(line, DealLine):
            seats = line.seats or range(len(line.totals))
            totals = [total for _, total in sorted(zip(seats, line.totals, strict=True))]
            self._note(self._rows.note_deal(self.lease, totals))

    def _decided(self) -> None:
        self.acted = loop_time()
        if not self._is_begun:
            self._is_begun = True
            self._note(self._rows.note_begun(self.lease))

    def _note(self, noting: Coroutine[None, None, None]) -> None:
        note = asyncio.ensure_future(noting)
        self._notes.add(note)
        note.add_done_callback(self._noted)

    def _noted(self, note: asyncio.Task[None]) -> None:
        self._notes.discard(note)
        if not note.cancelled() and note.exception() is not None:
            self._is_begun = False  # noted with the next decision; all else there is for lists, and the record has it

    def _writer(self, lines: Sequence[AnyLine]) -> RecordWriter:
        if lines:
            return RecordWriter.append(self._record)
        self._record.unlink(missing_ok=True)
        return RecordWriter.create(self._record)


def spec_of(table: LeasedTable, clock: ClockSetting, coming_seconds: float) -> MatchSpec:
    """Give what the referee is to play."""
    people = {
        chair: replace(person_clock(table.seconds or None), start_up=coming_seconds)
        for chair, each in enumerate(table.chairs)
        if each.kind is ChairKind.PERSON
    }  # fmt: skip
    names = seat_names(each.name for each in table.chairs)
    rules, form = rules_from(table.rules), Format.parse(table.format)
    return MatchSpec(rules, names, form, clock, bytes.fromhex(table.seed), people)


def take_back(journal: JournalFile, seat: int) -> None:
    """Forget the last decision of a seat that it took itself, and what came after it; nothing if there was none."""
    own = [
        number
        for number, line in enumerate(journal.lines)
        if any(step.seat == seat and was_asked(step.by) for step in line.steps)
    ]
    if own:
        journal.keep(journal.lines[: own[-1]])


def _seat_of(table: LeasedTable, chair: int, lines: Sequence[AnyLine]) -> int:
    """Give the seat of a chair in the deal under way."""
    rules, form = rules_from(table.rules), Format.parse(table.format)
    number = form.table_numbers(rules)[0]
    deals = sum(isinstance(line, DealLine) for line in lines)
    first = form.start(rules, bytes.fromhex(table.seed), number).deals
    return form.seats(rules, bytes.fromhex(table.seed), number, first + deals).index(chair)


def _result(line: DealLine, chair: int) -> DealResult:
    seats = line.seats or tuple(range(len(line.totals)))
    return DealResult(line.deal, seats.index(chair), line.scores, line.totals)


def _kept_lines(record: Path) -> list[AnyLine]:
    """Give the whole lines of the record; none if it has not begun."""
    if not record.is_file() or b"\n" not in record.read_bytes()[:1_000_000]:
        return []
    return list(read_record(record))


@contextmanager
def _full_disk(record: Path) -> Iterator[None]:
    try:
        with disk_errors(record):
            yield
    except RecordError as error:
        raise SandboxError(str(error)) from error
