"""Opening tables with people, and sitting down at them, in either database."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from ladder.app.ladder import Ladder
from ladder.errors import Conflict, Forbidden, LadderError, TooOften, UserError
from ladder.people.tables.chairs import (
    AT_THE_TABLE,
    NO_SEAT,
    bots_to_play_with,
    end,
    join,
    leave,
    seat_of,
    start_now,
    table_page,
)
from ladder.people.tables.table_opening import open_table
from ladder.results.files import TableFiles
from ladder.store import models
from ladder.store.commands.people_tables import (
    TABLES,
    claim_tables,
    end_unstarted,
    finish_table,
    note_seats,
)
from ladder.values.people import ChairKind, ChairOrder, TableOrder, TableStatus, TableVisitor
from pigpen.rules import PRESETS, seed_from
from pigpen.rules.shuffle import commitment
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import enter
from tests.ladder.people.tables.statuses import tables_by_status

if TYPE_CHECKING:
    from ladder.settings.settings import Settings
    from ladder.store.database import Database

__all__ = ["backend"]

GUEST = TableVisitor(guest="192.0.2.7", shown="Ada")
FRIEND = TableVisitor(guest="192.0.2.8", shown="Ben")
HOUSE = ChairOrder(kind=ChairKind.HOUSE, name="counting")
ANONYMOUS = ChairOrder(kind=ChairKind.HOUSE, name="nobody")
TWO = TableOrder(variant="hearts", chairs=(ChairOrder(), HOUSE, ChairOrder(), HOUSE))


@pytest.fixture
def ladder(settings: Settings, database: Database) -> Ladder:
    return Ladder(settings, database)


def test_a_guest_opens_a_table_with_house_bots_which_is_ready_at_once(ladder: Ladder) -> None:
    opened = open_table(ladder, TableOrder(variant="gongzhu"), GUEST, seed_from("7"))
    page = table_page(ladder, opened.name, opened.secrets[0])
    assert (page.status, page.mine, page.is_opener, page.seed) == (TableStatus.READY, 0, True, None)
    assert [chair.kind for chair in page.chairs] == [ChairKind.PERSON, *[ChairKind.HOUSE] * 3]
    assert page.chairs[0].name == "Ada"
    assert page.commitment == commitment(seed_from("7"))
    assert page.rules == PRESETS["gongzhu"].to_plain()
    assert opened.path(0) == f"/play/{opened.name}?seat={opened.secrets[0]}"
    assert len(opened.name) == 12


def test_who_has_no_secret_sees_the_table_and_gets_no_seat(ladder: Ladder) -> None:
    opened = open_table(ladder, TWO, GUEST)
    page = table_page(ladder, opened.name)
    assert (page.mine, page.is_opener) == (None, False)
    assert not set(opened.secrets.values()) & set(page.model_dump_json().split('"'))
    with pytest.raises(Forbidden):
        seat_of(ladder, opened.name, "no secret")
    with pytest.raises(LadderError, match="no such table"):
        table_page(ladder, "nosuchtable")


def test_a_table_begins_when_the_last_person_has_sat_down(ladder: Ladder) -> None:
    opened = open_table(ladder, TWO, GUEST)
    assert table_page(ladder, opened.name).status == TableStatus.WAITING
    assert [*opened.secrets] == [0, 2]
    woken = TableFiles(ladder.settings.data_dir).woken()
    page = join(ladder, opened.name, opened.secrets[2], FRIEND)
    assert (page.status, page.mine, page.chairs[2].name, page.is_opener) == (TableStatus.READY, 2, "Ben", False)
    assert TableFiles(ladder.settings.data_dir).woken() > woken
    assert join(ladder, opened.name, opened.secrets[2], FRIEND).mine == 2, "a second tab"


def test_who_gets_up_before_it_begins_leaves_an_empty_chair(ladder: Ladder) -> None:
    order = TableOrder(variant="hearts", chairs=(ChairOrder(),) * 4)
    opened = open_table(ladder, order, GUEST)
    join(ladder, opened.name, opened.secrets[2], FRIEND)
    assert not leave(ladder, opened.name, opened.secrets[2]).chairs[2].joined
    assert leave(ladder, opened.name, opened.secrets[0]).chairs[0].joined, "the table is the opener's"


def test_the_opener_need_not_wait_for_people_who_do_not_come(ladder: Ladder) -> None:
    opened = open_table(ladder, TWO, GUEST)
    with pytest.raises(Forbidden):
        start_now(ladder, opened.name, opened.secrets[2])
    page = start_now(ladder, opened.name, opened.secrets[0])
    assert (page.status, page.chairs[2].kind) == (TableStatus.READY, ChairKind.HOUSE)
    with pytest.raises(Forbidden, match=re.escape(NO_SEAT)):
        join(ladder, opened.name, opened.secrets[2], FRIEND)
    with pytest.raises(Conflict):
        start_now(ladder, opened.name, opened.secrets[0])


def test_only_the_opener_ends_a_table_at_which_others_sit(ladder: Ladder) -> None:
    opened = open_table(ladder, TWO, GUEST)
    join(ladder, opened.name, opened.secrets[2], FRIEND)
    with pytest.raises(Forbidden, match="You can leave it"):
        end(ladder, opened.name, opened.secrets[2])
    page = end(ladder, opened.name, opened.secrets[0])
    assert (page.status, page.reason, page.seed) == (TableStatus.ENDED, AT_THE_TABLE, None)


def test_a_guest_has_two_tables_an_account_five_and_a_ladder_may_have_none(ladder: Ladder) -> None:
    order = TableOrder(variant="hearts")
    for _ in range(2):
        open_table(ladder, order, GUEST)
    with pytest.raises(TooOften, match="as many tables open"):
        open_table(ladder, order, GUEST)
    open_table(ladder, order, FRIEND)
    for _ in range(5):
        opened = open_table(ladder, order, TableVisitor(account="ada"))
    with pytest.raises(TooOften, match="as many tables open"):
        open_table(ladder, order, TableVisitor(account="ada"))
    end(ladder, opened.name, opened.secrets[0])
    open_table(ladder, order, TableVisitor(account="ada"))
    none = Ladder(ladder.settings.model_copy(update={"people_tables": 0}), ladder.database)
    with pytest.raises(Forbidden, match="no tables"):
        open_table(none, order, TableVisitor())
    assert tables_by_status(ladder)[TableStatus.READY] == 8


@pytest.mark.parametrize(
    ("order", "sentence"),
    [
        (TableOrder(variant="bridge"), "bridge"),
        (TableOrder(variant="hearts", chairs=(ChairOrder(), HOUSE)), "has 4 chairs"),
        (TableOrder(variant="hearts", chairs=(HOUSE,) * 4), "Only bots"),
        (TableOrder(variant="hearts", chairs=(ChairOrder(), HOUSE, HOUSE, ANONYMOUS)), "no house bot"),
        (TableOrder(variant="hearts", format="boards:4"), "neither"),
        (TableOrder(variant="hearts", format="for ever"), "format"),
        (TableOrder(rules={"name": "own"}), "missing"),
    ],
)  # fmt: skip
def test_an_order_that_makes_no_sense_is_refused_in_a_sentence(
    ladder: Ladder, order: TableOrder, sentence: str
) -> None:
    with pytest.raises((UserError, ValueError), match=sentence):
        open_table(ladder, order, GUEST)
    assert sum(tables_by_status(ladder).values()) == 0


@pytest.mark.parametrize("shown", ["#1", "Ada\u202e", "\x1b[1m"])
def test_a_name_that_cannot_be_shown_is_refused(ladder: Ladder, shown: str) -> None:
    with pytest.raises(UserError, match="cannot be the name"):
        open_table(ladder, TableOrder(), TableVisitor(guest="g", shown=shown))


@pytest.mark.parametrize("shown", ["Trotter", "Tr\u043etter", "\uff34rotter", "TROTTER", "Tr0tter ", "snout's owner"])
def test_nobody_is_shown_by_a_name_that_looks_like_that_of_a_bot_or_of_another_owner(
    ladder: Ladder, shown: str
) -> None:
    with ladder.database.write() as session:
        enter(session, "Trotter", owner="Snout's owner")
    with pytest.raises(UserError, match="looks like"):
        open_table(ladder, TableOrder(), TableVisitor(guest="192.0.2.7", shown=shown))
    opened = open_table(ladder, TWO, FRIEND)
    with pytest.raises(UserError, match="looks like"):
        join(ladder, opened.name, opened.secrets[2], TableVisitor("ada", shown=shown))
    own = TableVisitor("Snout's owner", shown="snout's owner")
    assert join(ladder, opened.name, opened.secrets[2], own).chairs[2].name == "snout's owner"


def test_bots_of_the_ladder_play_if_their_owners_let_them_and_never_with_guests(ladder: Ladder) -> None:
    with ladder.database.write() as session:
        enter(session, "Trotter")
        enter(session, "Snout")
        session.query(models.StoredBot).filter_by(name="Snout").one().tables = True
    snout = ChairOrder(kind=ChairKind.BOT, name="Snout")
    ada = TableVisitor(account="ada")
    assert bots_to_play_with(ladder, "hearts") == ["Snout"]
    opened = open_table(ladder, TableOrder(variant="hearts", chairs=(snout, ChairOrder(), HOUSE, HOUSE)), ada)
    assert [*opened.secrets] == [1]
    trotter = ChairOrder(kind=ChairKind.BOT, name="Trotter")
    with pytest.raises(LadderError, match="not let people play"):
        open_table(ladder, TableOrder(variant="hearts", chairs=(ChairOrder(), trotter, HOUSE, HOUSE)), ada)
    with pytest.raises(LadderError, match="does not play gongzhu"):
        open_table(ladder, TableOrder(variant="gongzhu", chairs=(ChairOrder(), snout, HOUSE, HOUSE)), ada)
    with pytest.raises(Forbidden, match="have an account"):
        open_table(ladder, TableOrder(variant="hearts", chairs=(ChairOrder(), snout, HOUSE, HOUSE)), GUEST)


def test_a_table_is_leased_by_one_process_and_goes_on_when_that_has_ended(ladder: Ladder) -> None:
    opened = open_table(ladder, TableOrder(variant="hearts"), GUEST)
    with ladder.database.write() as session:
        (lease,) = claim_tables(session, "one", 100.0, 30.0, 10)
        assert claim_tables(session, "two", 100.0, 30.0, 10) == []
        assert note_seats(session, lease, {0: ("unix:/here", "token")})
    assert seat_of(ladder, opened.name, opened.secrets[0]).address == "unix:/here"
    with ladder.database.write() as session:
        assert [row.id for row in TABLES.requeue_dead(session, 139.0, lambda holder: holder == "one")] == [lease.id]
        (again,) = claim_tables(session, "two", 139.0, 30.0, 10)
        assert again.attempt == lease.attempt + 1
        assert not note_seats(session, lease, {0: ("unix:/late", "late")}), "the fence"
        assert not finish_table(session, lease, [0] * 4, [1] * 4, 140.0)
    place = seat_of(ladder, opened.name, opened.secrets[0])
    assert (place.address, place.token, place.attempt) == ("", "", 2)


def test_a_table_that_is_over_shows_places_and_its_seed(ladder: Ladder) -> None:
    opened = open_table(ladder, TableOrder(variant="hearts"), GUEST, seed_from("7"))
    with ladder.database.write() as session:
        (lease,) = claim_tables(session, "one", 100.0, 30.0, 10)
        assert finish_table(session, lease, [3, 5, 7, 11], [1, 2, 3, 4], 110.0)
        assert TABLES.fail(session, lease, 120.0, "too late") is None
    page = table_page(ladder, opened.name)
    assert (page.status, page.seed) == (TableStatus.OVER, seed_from("7").hex())
    assert [(chair.points, chair.place) for chair in page.chairs] == [(3, 1), (5, 2), (7, 3), (11, 4)]


def test_a_table_to_which_nobody_comes_ends(ladder: Ladder) -> None:
    opened = open_table(ladder, TWO, GUEST)
    now = ladder.clock()
    with ladder.database.write() as session:
        assert end_unstarted(session, now - 60, "Nobody came.", now) == 0
        assert end_unstarted(session, now + 60, "Nobody came.", now) == 1
    assert table_page(ladder, opened.name).reason == "Nobody came."
    with pytest.raises(Conflict, match="has ended"):
        join(ladder, opened.name, opened.secrets[2], FRIEND)
