"""Tables that were played to their end, without the process that plays tables: by a house bot in the person's name."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from sqlalchemy import select

from ladder.matches.house import house_bot
from ladder.results.files import TableFiles
from ladder.store.commands.people_tables import end_table, finish_table
from ladder.store.leases import Lease
from ladder.store.queries.people_tables import chairs_of
from ladder.store.table_models import PeopleTable
from ladder.values.people import ChairKind, TableStatus
from referee.match.formats import DEFAULT_CLOCK, Format, MatchSpec, person_clock
from referee.match.match import Match
from referee.records.file import RecordWriter
from referee.records.lines import ResultLine
from referee.records.rules_file import rules_from
from referee.seats.presence import Presence
from referee.seats.seat import InlineSeat

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ladder.app.ladder import Ladder
    from ladder.values.people import OpenedTable


class PersonInline(InlineSeat):
    """A bot that a referee takes for a person."""

    def __init__(self, bot: str) -> None:
        super().__init__(house_bot(bot))
        self.presence = Presence()


def finished(ladder: Ladder, opened: OpenedTable, plays_like: str = "cautious", other: str = "counting") -> int:
    """Play a table that is ready, its bots of the ladder like *other*; give its number."""
    with ladder.database.write() as session:
        row = session.scalar(select(PeopleTable).where(PeopleTable.name == opened.name))
        assert row is not None
        chairs = chairs_of(session, row.id)
        row.status, row.attempt, row.begun = TableStatus.PLAYING, 1, True
        lease = Lease(row.id, row.attempt)
        people = {each.chair: person_clock() for each in chairs if each.kind == ChairKind.PERSON}
        rules, form, seed = rules_from(row.rules), Format.parse(row.format), bytes.fromhex(row.seed)
        spec = MatchSpec(rules, tuple(each.name for each in chairs), form, DEFAULT_CLOCK, seed, people)
        kinds = [each.kind for each in chairs]
        names = [each.name for each in chairs]

    def seat(number: int) -> InlineSeat:
        if number in people:
            return PersonInline(plays_like)
        return InlineSeat(house_bot(names[number] if kinds[number] == ChairKind.HOUSE else other))

    @asynccontextmanager
    async def open_table(table: int) -> AsyncIterator[list[InlineSeat]]:
        yield [seat(number) for number in range(rules.players)]

    files = TableFiles(ladder.settings.data_dir)
    files.folder(lease.id)
    with RecordWriter.create(files.record(lease.id)) as writer:
        result: ResultLine = asyncio.run(Match(spec, open_table, writer.write).play())
    with ladder.database.write() as session:
        totals, places = ([getattr(each, name) for each in result.results] for name in ("total", "place"))
        assert finish_table(session, lease, totals, places, ladder.clock())
    return lease.id


def given_up(ladder: Ladder, opened: OpenedTable, *, begun: bool = True) -> None:
    """End a table before its end, when cards have been seen there; *begun*: and the person has decided something."""
    with ladder.database.write() as session:
        row = session.scalar(select(PeopleTable).where(PeopleTable.name == opened.name))
        assert row is not None
        row.attempt, row.begun = 1, begun
        end_table(session, row, "given up", ladder.clock())
