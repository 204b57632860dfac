"""A closed tab in every kind of game: nothing is decided, booked or counted that the person did not do."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from ladder.app.accounts import managing
from ladder.people.boards.daily_board import BegunToday, first_today, open_today, todays_board
from ladder.people.pages.request_parts import SEAT_COOKIE
from ladder.people.pages.table_pages import POLICY_PLAYED
from ladder.people.playing import play_with_people
from ladder.people.playing.table_run import DAY_OVER, FORGOTTEN, TableRows
from ladder.people.review.own_games import own_days, own_games
from ladder.people.review.puzzles import puzzle_page
from ladder.people.sessions import seat_session
from ladder.people.sessions.session_pool import SessionPool
from ladder.people.tables.chairs import AccountKey, end, seat_of, table_page
from ladder.people.tables.table_opening import MADE_ROOM, MAX_GUEST_TABLES, PAUSED_TIMES, open_table
from ladder.results.files import TableFiles
from ladder.settings.settings import load_settings
from ladder.store.table_models import PeopleTable
from ladder.values.accounts import LOCAL, Role
from ladder.values.people import ChairKind, ChairOrder, TableOrder, TableStatus, TableVisitor
from referee.records.file import read_record
from referee.records.journal_file import JournalFile
from referee.records.lines import DealLine
from referee.replay.verify import verify
from referee.seats import person_seat
from referee.seats.deadlines import Deadlines
from referee.seats.person_seat import PersonSeat
from referee.seats.presence import Presence
from tests.ladder.ladders import new_ladder, played, recorded_match
from tests.ladder.people.pages.tables_here import TableBrowser, site_here
from tests.ladder.people.playing.at_tables import until
from tests.ladder.puzzles import add_puzzles
from tests.ladder.puzzles import lines as lines
from tests.ladder.site.person import PASSWORD, quick_passwords

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.values.people import OpenedTable, TableState
    from ladder.values.person_state import PersonState
    from referee.records.lines import Step

pytestmark = pytest.mark.usefixtures("few_playouts")
VARIANT = "hearts"
DAY = 24 * 3600.0
FREE = TableOrder(variant=VARIANT, format="deals:1")


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    made = new_ladder(load_settings(data_dir=tmp_path))
    managing.add_with_password(made, quick_passwords(), LOCAL, "ada", Role.CONTESTANT, PASSWORD)
    yield made
    made.database.close()


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A closed tab is noticed at once, and the policy plays at once where it plays."""
    monkeypatch.setattr(seat_session, "WAITED_FOR_SECONDS", 0.0)
    monkeypatch.setattr(SessionPool.__init__, "__defaults__", (0.0,))
    monkeypatch.setattr(person_seat, "Presence", partial(Presence, wait=0.0))
    monkeypatch.setattr(
        play_with_people, "PersonSeat", partial(PersonSeat, deadlines=Deadlines(notice=5.0, reconnect=0.0))
    )


@asynccontextmanager
async def browser_of(base: str, *, account: bool) -> AsyncIterator[TableBrowser]:
    """A new browser, of a guest or logged in as ada."""
    async with TableBrowser(base) as browser:
        if account:
            done = await browser.send("/login", "/login", name="ada", password=PASSWORD)
            assert done.status_code == 303
        yield browser


def visitor(browser: TableBrowser, *, account: bool) -> TableVisitor:
    return TableVisitor("ada") if account else TableVisitor(guest=browser.client.cookies["pigpen_guest"])


async def begin(browser: TableBrowser, game: str) -> None:
    """Open a game of that kind."""
    if game == "today":
        path = f"/play/today/{VARIANT}"
        response = await browser.send(path, path)
        assert response.status_code == 303, response.text
        browser.name = response.headers["location"].rpartition("/")[2]
    else:
        await browser.open(variant=VARIANT, length="deals:1")


async def decide(browser: TableBrowser, decisions: int) -> None:
    """Make some decisions, see the next question, and close the tab."""
    seen = set[int]()

    def has_decided(state: PersonState) -> bool:
        if state.question:
            seen.add(state.question.decision)
        return len(seen) > decisions

    await browser.play(has_decided)


def steps_of(ladder: Ladder, table: TableState) -> list[Step]:
    """The steps, in the deal that is under way or in all that are over."""
    files = TableFiles(ladder.settings.data_dir)
    if files.journal(table.id).is_file():
        with JournalFile(files.journal(table.id)) as journal:
            return [step for line in journal.lines for step in line.steps]
    return [step for line in read_record(files.record(table.id)) if isinstance(line, DealLine) for step in line.steps]


def booked(ladder: Ladder, who: TableVisitor) -> tuple[int, int, int]:
    """Number of one's games and one's days, and of the people who have played today's board."""
    days = own_days(ladder, who)
    return (
        len(own_games(ladder, who)),
        len(days.games_on(todays_board(ladder, VARIANT).day)),
        todays_board(ladder, VARIANT).played,
    )


async def in_status(ladder: Ladder, name: str, status: TableStatus) -> TableState:
    """The table, once it is so."""
    return await until(lambda: table_page(ladder, name), lambda page: page.status is status)


@dataclass(frozen=True)
class Closed:
    """A tab that is closed in a game against bots."""

    game: str
    account: bool
    decisions: int

    def __str__(self) -> str:
        return f"{self.game}, {'account' if self.account else 'guest'}, after {self.decisions}"


AGAINST_BOTS = [
    Closed(game, account, decisions) for game in ("today", "free") for account in (False, True) for decisions in (0, 3)
]


@pytest.mark.parametrize("closed", AGAINST_BOTS, ids=str)
async def test_a_game_against_bots_waits_and_is_played_on_by_its_person_alone(ladder: Ladder, closed: Closed) -> None:
    async with site_here(ladder, pause_seconds=0.0) as base, browser_of(base, account=closed.account) as browser:
        await begin(browser, closed.game)
        await decide(browser, closed.decisions)
        waiting = await in_status(ladder, browser.name, TableStatus.PAUSED)
        who = visitor(browser, account=closed.account)
        own = [step.by for step in steps_of(ladder, waiting) if step.seat == 0]
        assert [by for by in own if by != "forced"] == ["bot"] * closed.decisions
        assert booked(ladder, who) == (0, 0, 0)
        if closed.game == "today":
            assert first_today(ladder, VARIANT, who) == BegunToday(
                browser.name, TableStatus.PAUSED, has_begun=closed.decisions > 0
            )
            page = await browser.client.get(f"/play/today/{VARIANT}")
            assert f"/play/{browser.name}" in page.text
        async with browser_of(base, account=closed.account) as other:
            other.name = browser.name
            if not closed.account:
                assert (await other.client.get(other.path)).status_code == 404, "another guest"
            back = other if closed.account else browser
            last = await back.play()
        assert last.status == "over"
        over = table_page(ladder, browser.name)
        assert {step.by for step in steps_of(ladder, over) if step.seat == 0} <= {"bot", "forced"}
        assert verify(TableFiles(ladder.settings.data_dir).record(over.id)).holds
        today = int(closed.game == "today")
        assert booked(ladder, who) == (1, today, today)


@pytest.mark.parametrize("account", [False, True], ids=["guest", "account"])
async def test_at_a_table_of_people_it_is_played_on_and_is_no_game_of_who_has_left(
    ladder: Ladder, account: bool
) -> None:
    async with (
        site_here(ladder) as base,
        browser_of(base, account=account) as ada,
        browser_of(base, account=False) as ben,
    ):
        await ada.open(variant=VARIANT, length="deals:1", level="chosen", chair1="friend", seconds="600")
        links = await ada.client.get(ada.path)
        await ben.come(next(part for part in links.text.split('"') if "?seat=" in part).partition(base)[2])
        assert (await ben.send(ben.path, f"{ben.path}/join", shown="Ben")).status_code == 303
        bens = asyncio.ensure_future(ben.play())  # there before ada leaves: nothing waits for who is away
        await decide(ada, 1)
        await bens
        over = await in_status(ladder, ada.name, TableStatus.OVER)
        assert [chair.absent for chair in over.chairs if chair.kind is ChairKind.PERSON] == [True, False]
        assert booked(ladder, visitor(ada, account=account))[0] == 0
        page = await ada.client.get(ada.path)
        assert POLICY_PLAYED in page.text


@pytest.mark.parametrize("account", [False, True], ids=["guest", "account"])
@pytest.mark.usefixtures("lines")
async def test_of_a_puzzle_nothing_is_left(ladder: Ladder, account: bool) -> None:
    recorded_match(ladder, played("hearts", form="boards:4"))
    add_puzzles(ladder, 1)
    async with site_here(ladder) as base, browser_of(base, account=account) as browser:
        for _ in range(2):
            page = await browser.client.get("/puzzle/1")
            assert page.status_code == 200
            assert 'action="/puzzle/1"' in page.text, "it may be answered still"
    who = TableVisitor("ada") if account else TableVisitor(guest=browser.client.cookies.get("pigpen_guest") or "none")
    assert puzzle_page(ladder, 1, who).answer is None


async def test_a_game_with_closed_tabs_has_the_record_of_one_without(ladder: Ladder) -> None:
    async def steps_after(closes: int) -> list[tuple[int, str]]:
        opened = open_table(ladder, FREE, TableVisitor(guest=f"guest {closes}"), bytes(32))
        browser.name = opened.name
        browser.client.cookies.set(SEAT_COOKIE, opened.secrets[0], path=browser.path)
        for _ in range(closes):
            await decide(browser, 2)
            await in_status(ladder, browser.name, TableStatus.PAUSED)
        await browser.play()
        over = await in_status(ladder, browser.name, TableStatus.OVER)
        return [(step.seat, step.play or step.passed or "") for step in steps_of(ladder, over)]

    async with site_here(ladder, pause_seconds=0.0) as base, TableBrowser(base) as browser:
        assert await steps_after(3) == await steps_after(0)


async def test_who_only_looks_at_todays_board_may_end_it_and_play_it_later(ladder: Ladder) -> None:
    async with site_here(ladder, pause_seconds=0.0) as base, TableBrowser(base) as browser:
        for decisions, counts in ((0, False), (1, True)):
            await begin(browser, "today")
            await decide(browser, decisions)
            end(ladder, browser.name, browser.seat)
            who = visitor(browser, account=False)
            assert (first_today(ladder, VARIANT, who) is not None) == counts


def paused(ladder: Ladder, opened: OpenedTable, *, begun: bool = True, ago: float = 0.0) -> str:
    """Let a table wait for its person, as the process does that plays tables."""
    with ladder.database.write() as session:
        row = session.scalars(select(PeopleTable).where(PeopleTable.name == opened.name)).one()
        row.status, row.begun, row.attempt, row.touched = TableStatus.PAUSED, begun, 1, ladder.clock() - ago
    return opened.name


def maintained(ladder: Ladder, later: float) -> None:
    rows = TableRows(ladder.database, ladder.clock, 600.0, ladder.settings.game_days)
    with ladder.database.write() as session:
        rows.maintain(session, ladder.clock() + later)
    rows.close()


GUEST = TableVisitor(guest="one", network="192.0.2.7")


def test_a_game_waits_for_days_and_a_days_board_until_midnight_waiting_or_not(ladder: Ladder) -> None:
    free = paused(ladder, open_table(ladder, FREE, GUEST))
    board = paused(ladder, open_today(ladder, VARIANT, GUEST))
    under_way = open_today(ladder, VARIANT, TableVisitor("ada")).name
    until_midnight = DAY - ladder.clock() % DAY
    for later, ended in (
        (until_midnight - 1.0, {}),
        (until_midnight, {board: DAY_OVER, under_way: DAY_OVER}),
        (ladder.settings.game_days * DAY, {board: DAY_OVER, under_way: DAY_OVER}),
        (ladder.settings.game_days * DAY + 1.0, {board: DAY_OVER, under_way: DAY_OVER, free: FORGOTTEN}),
    ):
        maintained(ladder, later)
        tables = [table_page(ladder, name) for name in (free, board, under_way)]
        assert {each.name: each.reason for each in tables if each.status is TableStatus.ENDED} == ended


def test_a_game_that_has_not_begun_gives_way_and_one_that_has_does_not(ladder: Ladder) -> None:
    begun = paused(ladder, open_table(ladder, FREE, GUEST))
    spare = paused(ladder, open_table(ladder, FREE, GUEST), begun=False)
    assert MAX_GUEST_TABLES == 2
    third = open_table(ladder, FREE, GUEST)
    assert table_page(ladder, spare).reason == MADE_ROOM
    assert table_page(ladder, begun).status is TableStatus.PAUSED
    paused(ladder, third)
    with pytest.raises(Exception, match="as many tables open"):
        open_table(ladder, FREE, GUEST)


def test_games_that_wait_take_no_place_at_an_address_but_their_own(ladder: Ladder) -> None:
    most = PAUSED_TIMES * ladder.settings.guest_tables
    guests = [TableVisitor(guest=f"guest {number}", network="192.0.2.7") for number in range(most + 1)]
    waiting = [
        paused(ladder, open_table(ladder, FREE, who), ago=100.0 - place) for place, who in enumerate(guests[:-1])
    ]
    open_table(ladder, FREE, guests[-1])
    pages = [table_page(ladder, name) for name in waiting]
    assert [page.reason for page in pages if page.status is TableStatus.ENDED] == [MADE_ROOM]
    assert pages[0].status is TableStatus.ENDED, "the oldest"


def test_only_a_session_that_was_checked_opens_a_chair_by_the_accounts_name(ladder: Ladder) -> None:
    chairs = (ChairOrder(), ChairOrder(), *[ChairOrder(kind=ChairKind.HOUSE, name="counting")] * 2)
    opened = open_table(ladder, FREE.model_copy(update={"chairs": chairs}), TableVisitor("ada"))
    assert seat_of(ladder, opened.name, AccountKey("ada")).chair == 0
    for secret in ("ada", "", AccountKey(""), AccountKey("ben"), AccountKey("Ada")):
        assert table_page(ladder, opened.name, secret).mine is None
