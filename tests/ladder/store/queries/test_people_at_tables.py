"""People who have played a board, in either database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.ladder import Ladder
from ladder.people.tables.opening import open_table
from ladder.store.commands.people_tables import finish_table
from ladder.store.leases import Lease
from ladder.store.queries.people_tables import (
    accounts_at,
    count_people,
    first_of,
    opened_first,
    people_at,
    table_by_name,
)
from ladder.values.people import TableOrder, TablePurpose, TableStatus, TableVisitor
from pigpen.rules import seed_from
from pigpen.rules.shuffle import commitment

if TYPE_CHECKING:
    from ladder.settings.settings import Settings
    from ladder.store.database import Database


def test_only_tables_that_are_over_and_have_these_cards_count(settings: Settings, database: Database) -> None:
    ladder, seed = Ladder(settings, database), seed_from("board")
    wanted = commitment(seed)
    for number, (board, cards, ends) in enumerate(
        [("17/3/1/2", seed, True), ("17/3/0/2", seed, True), ("17/3/1/0", seed, True), ("17/30/1/2", seed, True),
         ("17/3/1/2", seed_from("other"), True), ("17/3/1/2", seed, False)]
    ):  # fmt: skip
        who = TableVisitor(guest=str(number), shown=f"P{number}")
        order = TableOrder(variant="hearts", format="board:3:1", purpose=TablePurpose.BOARD, board=board)
        name = open_table(ladder, order, who, cards).name
        with database.write() as session:
            row = table_by_name(session, name)
            assert row is not None
            if ends:
                row.status, row.attempt = TableStatus.PLAYING, 1
                assert finish_table(session, Lease(row.id, 1), [number, 0, 0, 0], [1, 1, 1, 1], 1.0)
    with database.read() as session:
        found = people_at(session, "17/3/%/2", wanted, 10)
        assert [(chair.name, chair.points, table.board) for table, chair in found] == [
            ("P0", 0, "17/3/1/2"), ("P1", 1, "17/3/0/2")
        ]  # fmt: skip
        assert len(people_at(session, "17/3/%/2", wanted, 1)) == 1
        assert count_people(session, "17/3/1/2", wanted) == 1


def test_people_come_in_the_order_in_which_they_finished_and_the_latest_accounts_first(
    settings: Settings, database: Database
) -> None:
    ladder, seed = Ladder(settings, database), seed_from("board")
    for name, ended in (("ada", 3.0), ("ben", 1.0), ("cora", 2.0)):
        order = TableOrder(variant="hearts", format="board:3:1", purpose=TablePurpose.BOARD, board="17/3/1/2")
        opened = open_table(ladder, order, TableVisitor(account=name), seed)
        with database.write() as session:
            row = table_by_name(session, opened.name)
            assert row is not None
            row.status, row.attempt = TableStatus.PLAYING, 1
            assert finish_table(session, Lease(row.id, 1), [0, 0, 0, 0], [1, 1, 1, 1], ended)
    with database.read() as session:
        found = people_at(session, "17/3/1/2", commitment(seed), 10)
        assert [chair.name for _, chair in found] == ["ben", "cora", "ada"]
        assert accounts_at(session, "17/3/1/2", commitment(seed), 2) == ["ada", "cora"]


def test_people_are_counted_and_not_their_tables(settings: Settings, database: Database) -> None:
    ladder, seed = Ladder(settings, database), seed_from("board")
    wanted, numbers = commitment(seed), []
    visitors = [TableVisitor("ada"), TableVisitor(guest="1", shown="Bo"), TableVisitor()]
    for who in (*visitors, *visitors):
        order = TableOrder(variant="hearts", format="board:3:1", purpose=TablePurpose.BOARD, board="17/3/1/2")
        name = open_table(ladder, order, who, seed).name
        with database.write() as session:
            row = table_by_name(session, name)
            assert row is not None
            numbers.append(row.id)
            row.status, row.attempt = TableStatus.PLAYING, 1
            assert finish_table(session, Lease(row.id, 1), [0, 0, 0, 0], [1, 1, 1, 1], 9.0 - len(numbers))
    with database.read() as session:
        assert count_people(session, "17/3/1/2", wanted) == 4, "on the ladder's machine nobody is known"
        assert opened_first(session, "17/3/0/1", wanted) == {*numbers[:3], numbers[5]}
        assert opened_first(session, "17/3/1/2", commitment(seed_from("other"))) == set()
        found = [first_of(session, "17/3/1/0", wanted, owner, "") for owner in ("ada", "ben", None)]
        assert [each and each.id for each in found] == [numbers[0], None, None]
