"""Number of tables that people may have open, and the table given up where all places are taken; in either database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.app.ladder import Ladder
from ladder.entry.networks import network_of
from ladder.errors import Busy, TooOften
from ladder.people.tables.chairs import end, join, stay, table_page
from ladder.people.tables.table_opening import GAVE_WAY, open_table
from ladder.store.commands.people_tables import end_unattended
from ladder.values.people import ChairKind, ChairOrder, OpenedTable, TableOrder, TableStatus, TableVisitor
from tests.ladder.databases import later_backend as backend
from tests.ladder.people.tables.statuses import tables_by_status

if TYPE_CHECKING:
    from ladder.settings.settings import Settings
    from ladder.store.database import Database

__all__ = ["backend"]

PLAYS = TableOrder(variant="hearts")
HOUSE = ChairOrder(kind=ChairKind.HOUSE, name="counting")
WAITS = TableOrder(variant="hearts", chairs=(ChairOrder(), ChairOrder(), HOUSE, HOUSE))
FRIEND = TableVisitor(guest="friend", shown="Ben", network="203.0.113.9")


@pytest.fixture
def ladder(settings: Settings, database: Database) -> Ladder:
    return with_places(Ladder(settings, database), 4)


def with_places(ladder: Ladder, places: int) -> Ladder:
    return Ladder(ladder.settings.model_copy(update={"people_tables": places}), ladder.database, ladder.clock)


def guest(address: str, cookie: str = "") -> TableVisitor:
    """A guest at an address; without a name of its own its cookie is a new one."""
    guest.cookies += 1  # type: ignore[attr-defined]
    return TableVisitor(guest=cookie or f"cookie {guest.cookies}", shown="Eve", network=network_of(address))  # type: ignore[attr-defined]


guest.cookies = 0  # type: ignore[attr-defined]


def status(ladder: Ladder, opened: OpenedTable) -> TableStatus:
    return table_page(ladder, opened.name).status


@pytest.mark.parametrize("order", [PLAYS, WAITS])
def test_an_address_has_few_tables_whatever_its_cookies(ladder: Ladder, order: TableOrder) -> None:
    ladder = with_places(ladder, 100)
    opened = [open_table(ladder, order, guest(f"2001:db8::{number}")) for number in range(8)]
    for _ in range(3):
        with pytest.raises(TooOften, match="Guests at your address"):
            open_table(ladder, order, guest("2001:db8::ffff"))
    open_table(ladder, order, guest("2001:db8:0:1::1"))
    for _ in range(5):  # an account has its own, wherever it is
        open_table(ladder, order, TableVisitor(account="ada"))
    end(ladder, opened[0].name, opened[0].secrets[0])
    open_table(ladder, order, guest("2001:db8::1"))


def test_tables_that_wait_take_no_place_of_those_that_play(ladder: Ladder) -> None:
    waiting = [open_table(ladder, WAITS, guest(f"192.0.{number}.7")) for number in range(4)]
    with pytest.raises(Busy, match="All tables of this"):
        open_table(ladder, WAITS, guest("198.51.100.1"))
    for number in range(4):
        open_table(ladder, PLAYS, guest(f"198.51.{number}.1"))
    assert {status(ladder, each) for each in waiting} == {TableStatus.WAITING}


@pytest.mark.parametrize("order", [PLAYS, WAITS])
def test_the_address_with_most_tables_gives_one_up_before_a_first_one_is_refused(
    ladder: Ladder, order: TableOrder
) -> None:
    one = open_table(ladder, order, guest("192.0.2.7"))
    many = [open_table(ladder, order, guest("198.51.100.1")) for _ in range(3)]
    open_table(ladder, order, guest("203.0.113.9"))
    open_table(ladder, order, TableVisitor(account="ada"))
    assert [status(ladder, each) for each in many].count(TableStatus.ENDED) == 2
    assert table_page(ladder, many[0].name).reason == GAVE_WAY
    assert status(ladder, one) == status(ladder, many[2]) != TableStatus.ENDED
    with pytest.raises(Busy):  # now everybody has one
        open_table(ladder, order, guest("192.0.3.3"))
    with pytest.raises(Busy):  # nor may a visitor have a second one instead of another's first
        open_table(ladder, order, guest("198.51.100.1"))


def test_addresses_near_each_other_share_and_within_them_each_has_its_share(ladder: Ladder) -> None:
    near = [open_table(ladder, PLAYS, guest(f"2001:db8:0:{number}::1")) for number in (1, 2, 2, 3)]
    open_table(ladder, PLAYS, guest("192.0.2.7"))
    assert [status(ladder, each) for each in near].count(TableStatus.ENDED) == 1
    assert status(ladder, near[1]) == TableStatus.ENDED, "the address with two, the older one"
    with pytest.raises(Busy):
        open_table(ladder, PLAYS, guest("2001:db8:0:4::1"))


def test_a_table_whose_last_friend_comes_needs_a_place_too(ladder: Ladder) -> None:
    waiting = open_table(ladder, WAITS, guest("192.0.2.7"))
    for number in range(4):
        open_table(ladder, PLAYS, guest(f"198.51.{number}.1"))
    with pytest.raises(Busy):
        join(ladder, waiting.name, waiting.secrets[1], FRIEND)
    page = table_page(ladder, waiting.name)
    assert (page.status, page.chairs[1].joined) == (TableStatus.WAITING, False)
    more = with_places(ladder, 5)
    open_table(more, PLAYS, guest("198.51.0.1"))
    assert join(more, waiting.name, waiting.secrets[1], FRIEND).status == TableStatus.READY
    assert tables_by_status(ladder)[TableStatus.ENDED] == 1


def test_a_guests_table_that_waits_ends_when_nobody_is_there(ladder: Ladder) -> None:
    left = open_table(ladder, WAITS, guest("192.0.2.7"))
    attended = open_table(ladder, WAITS, guest("192.0.2.7"))
    of_account = open_table(ladder, WAITS, TableVisitor(account="ada"))
    now = ladder.clock()
    later = Ladder(ladder.settings, ladder.database, lambda: now + 500.0)
    stay(later, attended.name)
    with ladder.database.write() as session:
        assert end_unattended(session, now + 100.0, "Nobody was there.", now + 700.0) == 1
    assert table_page(ladder, left.name).reason == "Nobody was there."
    assert {status(ladder, each) for each in (attended, of_account)} == {TableStatus.WAITING}
