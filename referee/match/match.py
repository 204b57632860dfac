"""
A match: n bots, one variant, one format, one clock, one seed.

An interrupted match resumes from its unfinished record: from what that says, and what must be known besides.
"""

from __future__ import annotations

import asyncio
import datetime
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from pigpen.rules.errors import PigpenError
from pigpen.rules.shuffle import commitment
from pigpen.values.notices import ClockSetting
from referee.match.formats import Format, MatchSpec
from referee.match.observer import Announcer
from referee.match.result import Tally
from referee.match.table import Table
from referee.records.lines import VERSION, ClockLine, DealLine, MatchLine, PersonLine, ResultLine
from referee.records.rules_file import RulesFileError, rules_from
from referee.seats.fair_wait import loop_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractAsyncContextManager

    from referee.match.journal import Journal
    from referee.match.observer import Observer
    from referee.records.lines import AnyLine, ImageFiles, Instances
    from referee.seats.seat import Seat

    OpenTable = Callable[[int], AbstractAsyncContextManager[Sequence[Seat]]]
    """
    Makes fresh seats for a table, by its number, and clears them away afterwards.

    There is one seat for each bot, in the order of their numbers.
    """


@dataclass(frozen=True)
class MatchSeconds:
    """Wall time of a match by its use, all tables added up."""

    starting: float
    """Until the bots of a table had taken their seats, and from its last deal until it was cleared away."""
    playing: float
    """The deals."""


class CannotResume(PigpenError):
    """The match cannot be resumed from the record; the message says why."""

    exit_code = 2


class Match:
    """
    Plays the tables of a match, several at once if wanted, and writes its record.

    The first line of the record is written when the first table stands, each deal as soon as it is over, the result
    when all tables are done.
    """

    def __init__(
        self,
        spec: MatchSpec,
        open_table: OpenTable,
        write: Callable[[MatchLine | DealLine | ResultLine], None],
        recorded: Iterable[DealLine] | None = None,
        image_files: ImageFiles | None = None,
        instances: Instances | None = None,
        now: Callable[[], float] = loop_time,
        observer: Observer | None = None,
        machine: str | None = None,
        journal: Journal | None = None,
        runtime: str | None = None,
    ) -> None:
        """
        Prepare a match.

        Args:
            spec: What is to be played.
            open_table: Makes the seats of each table.
            write: Takes the record's lines in order.
            recorded: The deals that are in the record already, if the match was interrupted; its first line is, too.
            image_files: What the record says of the bots' images.
            instances: What it says of how they were started.
            now: The referee's clock, in seconds.
            observer: Hears of what happens from here on; its failures harm nothing.
            machine: What the record says of the machine.
            journal: Keeps the deal under way, of a match at one table; what is in it is not asked again.
            runtime: What the record says of the runtime of their containers.

        Raises:
            CannotResume: If these deals are not of this match; the message says what is wrong.
        """
        self._spec = spec
        self._open_table = open_table
        self._write = write
        self._tally = Tally(spec.rules, spec.bots, spec.format, spec.people)
        self._has_begun = recorded is not None
        self._image_files = image_files
        self._instances = instances
        self._machine = machine
        self._runtime = runtime
        self._now = now
        self._open_seconds = 0.0
        self._announcer = Announcer(observer) if observer else None
        tables = spec.format.table_numbers(spec.rules)
        self._tables = {number: Table(spec, number, now, self._announcer) for number in tables}
        for line in sorted(recorded or (), key=lambda line: line.deal):
            self._restore(line)
        if journal:
            self._keep_journal(journal)

    async def play(self, concurrency: int = 1) -> ResultLine:
        """Play the whole match, at most *concurrency* tables at once; if one fails, all are cancelled and removed."""
        free = asyncio.Semaphore(concurrency)
        try:
            async with asyncio.TaskGroup() as tables:
                for number, table in self._tables.items():
                    if not table.is_over:
                        tables.create_task(self._play_table(number, table, free))
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None
        result = self._tally.result(self._spec.seed)
        self._write(result)
        if self._announcer:
            self._announcer.match_over(result)
        return result

    @property
    def seconds(self) -> MatchSeconds:
        """Time of the tables that have been played here, by its use."""
        playing = sum(table.playing_seconds for table in self._tables.values())
        return MatchSeconds(max(0.0, self._open_seconds - playing), playing)

    async def _play_table(self, number: int, table: Table, free: asyncio.Semaphore) -> None:
        async with free:
            opened = self._now()
            async with self._open_table(number) as seats:
                self._begin()
                await table.play(seats, self._take)
            self._open_seconds += self._now() - opened

    def _restore(self, line: DealLine) -> None:
        number = line.rotation or 0
        try:
            if number not in self._tables:
                raise ValueError(f"the match has no rotation {number + 1}")
            self._tables[number].restore(line)
            self._tally.add(line)
        except ValueError as error:
            raise CannotResume(str(error)) from error

    def _keep_journal(self, journal: Journal) -> None:
        (table,) = self._tables.values()
        if not table.is_over:
            try:
                table.keep_journal(journal)
            except ValueError as error:
                raise CannotResume(f"the journal does not fit: {error}") from error

    def _begin(self) -> None:
        if self._has_begun:
            return
        self._has_begun = True
        started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        first = first_line(self._spec, started, self._image_files, self._instances, self._runtime, self._machine)
        self._write(first)
        if self._announcer:
            self._announcer.match_begins(first)

    def _take(self, line: DealLine) -> None:
        self._write(line)
        self._tally.add(line)


def first_line(
    spec: MatchSpec,
    started: str,
    image_files: ImageFiles | None = None,
    instances: Instances | None = None,
    runtime: str | None = None,
    machine: str | None = None,
) -> MatchLine:
    """
    Give the first line of the record of a match.

    Args:
        spec: What is played.
        started: When, UTC, ISO 8601.
        image_files: How it is run, as this and the next three are described in `MatchLine`.
        instances: See there.
        runtime: See there.
        machine: See there.
    """
    people = sorted(spec.people.items())
    return MatchLine(
        rules=spec.rules.to_plain(),
        format=str(spec.format),
        bots=spec.bots,
        clock=ClockLine(**asdict(spec.clock)),
        commitment=commitment(spec.seed),
        started=started,
        image_files=image_files,
        instances=instances,
        runtime=runtime,
        machine=machine,
        people=tuple(PersonLine(bot=bot, clock=ClockLine(**asdict(clock))) for bot, clock in people) or None,
    )


FINISHED = "the match is finished"


@dataclass(frozen=True)
class Unfinished:
    """A record without its last line."""

    first: MatchLine
    deals: tuple[DealLine, ...]

    @classmethod
    def of(cls, lines: Iterable[AnyLine]) -> Unfinished:
        """
        Take the lines of a record.

        Raises:
            CannotResume: If the match is finished, or the lines are not those of a match.
        """
        found = list(lines)
        if not found or not isinstance(found[0], MatchLine):
            raise CannotResume("it does not begin with the first line of a match")
        first, rest = found[0], found[1:]
        if first.version != VERSION:
            raise CannotResume(
                f"it is of version {first.version} of the format; only records of version {VERSION} can be resumed"
            )
        if any(isinstance(line, ResultLine) for line in rest):
            raise CannotResume(FINISHED)
        deals = tuple(line for line in rest if isinstance(line, DealLine))
        if len(deals) != len(rest):
            raise CannotResume("it holds more than one match")
        return cls(first, deals)

    def spec(self, seed: bytes) -> MatchSpec:
        """
        Give what the match is.

        Raises:
            CannotResume: If *seed* is not the one that the record commits to, or the first line cannot be understood.
        """
        if commitment(seed) != self.first.commitment:
            raise CannotResume("the seed is not the one with which the match began")
        try:
            clock = ClockSetting(**self.first.clock.model_dump())
            people = {each.bot: ClockSetting(**each.clock.model_dump()) for each in self.first.people or ()}
            rules, form = rules_from(self.first.rules), Format.parse(self.first.format)
            form.check(rules)
            return MatchSpec(rules, self.first.bots, form, clock, seed, people)
        except (RulesFileError, ValueError) as error:
            raise CannotResume(f"its first line cannot be understood: {error}") from None
