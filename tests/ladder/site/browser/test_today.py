"""Today's board on the front page: played at once, compared, counted in a row of days, shared; the own games."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from ladder.app.accounts import managing
from ladder.people.sessions import seat_session
from ladder.people.tables.chairs import found_table, table_page
from ladder.results.files import TableFiles
from ladder.settings.settings import load_settings
from ladder.site.server.viewer import PLAIN_COOKIE
from ladder.store.commands.people_tables import pause_table
from ladder.store.leases import Lease
from ladder.values.accounts import LOCAL, Role
from ladder.values.opponents import NAMES
from ladder.values.people import TableStatus
from referee.records.file import read_record
from referee.records.lines import DealLine
from tests.ladder.accounts import session_of
from tests.ladder.ladders import new_ladder
from tests.ladder.site.browser.at_table import by_mouse, next_wanted, played_to_the_end
from tests.ladder.site.browser.looking import findings, overflow
from tests.ladder.site.browser.pages import DESKTOP, PHONE, Kind
from tests.ladder.site.browser.tables_served import tables_served
from tests.ladder.site.person import PASSWORD, quick_passwords
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Page

    from ladder.app.ladder import Ladder
    from tests.ladder.site.browser.pages import Lending

pytestmark = [pytest.mark.chromium, pytest.mark.usefixtures("few_playouts")]
IN_A_HURRY = "if (location.protocol === 'http:') localStorage['pigpen-play'] ??= '{\"speed\": 0, \"taps\": 1}';"
PLAYS = """async () => {
  const base = location.pathname;
  const post = (what, body) =>
    fetch(`${base}/${what}`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
  for (;;) {
    const state = await (await fetch(`${base}/state`, { headers: { Accept: "application/json" } })).json();
    if (state.over?.verify) return state.over.place; // before it, the result is not stored yet
    const question = state.question;
    if (state.result) await post("presence", { state: "ready", deal: state.result.deal });
    else if (question) {
      const cards = question.legal.split(" ");
      const action = { pass: cards.slice(0, question.count).join(" "), play: cards[0], expose: "", moon: "add" };
      await post("answer", { decision: question.decision, action: action[question.kind] });
    }
    await new Promise((done) => setTimeout(done, 5));
  }
}"""
"""Plays a table to its end, as fast as it goes."""


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ladder]:
    made = new_ladder(load_settings(data_dir=tmp_path_factory.mktemp("today")))
    yield made
    made.database.close()


@pytest.fixture(scope="module")
def address(ladder: Ladder) -> Iterator[str]:
    with tables_served(ladder, pause_seconds=0.0) as address:
        yield address


@pytest.fixture
def guest(address: str, lending: Lending) -> Iterator[Callable[..., Page]]:
    """A page of a new guest."""

    def guest(path: str, size: tuple[int, int] = DESKTOP, dark: bool = False) -> Page:
        page = lending.page(Kind(first=IN_A_HURRY), size, dark, calm=True)
        page.goto(address + path)
        return page

    yield guest
    assert lending.logged(lambda logged: logged.errors) == []


def test_one_click_plays_todays_board_and_then_there_are_place_streak_calendar_and_a_line_to_share(
    guest: Callable[..., Page], address: str
) -> None:
    page = guest("/")
    assert page.locator("main section").first.get_attribute("class") == "sheet pad todays"
    assert "left)" in page.inner_text("time-left")
    assert page.inner_text(".todays .you").split() == ["You", "–"]
    page.click(".todays button")
    page.wait_for_selector("person-table")
    assert page.evaluate(PLAYS) in (1, 2, 3, 4)
    table = page.url
    page.goto(f"{table}/compare")
    assert "Place " in page.inner_text(".big")
    page.wait_for_selector("copy-line input")  # house bots have played the board, too
    assert "better than " in page.inner_text(".big")
    assert page.inner_text(".streak") == "1 day in a row"
    assert page.locator(".calendar .played").count() == 1
    line = page.input_value("copy-line input")
    marks, _, line = line.partition(" · ")
    assert len(marks) == 13, "one for each trick"
    assert set(marks) <= {*"🟩🟥⬜"}
    assert line.startswith("Pigpen · Gong Zhu · ")
    assert " · better than " in line
    assert line.endswith(f"1 day in a row · {address}/play/today/gongzhu")
    shown = page.inner_text(".big")
    hand = page.locator("[class*=suit-]").all_inner_texts()
    assert hand
    assert not any(sign in line for sign in "♠♥♦♣")
    assert (findings(page), overflow(page)) == ([], 0)
    page.goto(address)
    assert page.locator(".todays button").count() == 0
    assert "1 day in a row" in page.inner_text(".todays")
    assert f"You have {page.inner_text('.todays .you .num')} points" in shown
    page.click(".todays >> text=Your result")
    assert page.url == f"{table}/compare"


SHOWN = """() => {
  const { deal, moment } = document.querySelector("person-table")?.state ?? {};
  return moment ? `${moment.trick} ${moment.seats[deal.seat].hand}` : "";
}"""
"""The trick and the hand of the person."""


def test_a_game_whose_tab_is_closed_waits_and_continues_in_another_browser_of_the_account(
    guest: Callable[..., Page], ladder: Ladder, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seat_session, "WAITED_FOR_SECONDS", 0.0)
    managing.add_with_password(ladder, quick_passwords(), LOCAL, "ada", Role.CONTESTANT, PASSWORD)
    first, second, stranger = (guest("/help", size) for size in (DESKTOP, PHONE, PHONE))
    for page in (first, second):
        secret = session_of(ladder, "ada")
        page.context.add_cookies([{"name": PLAIN_COOKIE, "value": secret, "url": address}])
    first.goto(f"{address}/play/today/hearts-short")
    first.click("form button.main")
    played_to_the_end(first, by_mouse, lambda page: page.click(".go-on"), 3)
    next_wanted(first)
    table, seen = first.url, first.evaluate(SHOWN)
    assert seen
    name = table.rpartition("/")[2]
    first.goto(f"{address}/help")
    until(lambda: table_page(ladder, name).status is TableStatus.PAUSED)
    stranger.goto(table)
    assert stranger.locator("person-table").count() == 0
    second.goto(f"{address}/play/today/hearts-short")
    assert second.locator("form button.main").count() == 0, "it is not opened twice"
    second.get_by_role("link", name="Resume your game").click()
    second.wait_for_function(f"seen => ({SHOWN})() === seen", arg=seen)
    assert not second.locator("[data-part=away]").is_visible(), "the policy never plays here"
    assert (findings(second, "person-table"), overflow(second)) == ([], 0)
    assert second.evaluate(PLAYS) in (1, 2, 3, 4)
    record = TableFiles(ladder.settings.data_dir).record(table_page(ladder, name).id)
    steps = [step for line in read_record(record) if isinstance(line, DealLine) for step in line.steps]
    assert {step.by for step in steps} == {"bot", "forced"}


def test_a_table_that_waits_with_its_page_open_says_so_and_continues(
    guest: Callable[..., Page], ladder: Ladder
) -> None:
    page = guest("/play?variant=hearts-short")
    page.get_by_role("button", name="Play", exact=True).click()
    next_wanted(page)
    with ladder.database.write() as session:
        row = found_table(session, page.url.rpartition("/")[2])
        assert pause_table(session, Lease(row.id, row.attempt), ladder.clock())
    page.get_by_role("button", name="Continue").click()
    next_wanted(page)


@pytest.mark.parametrize(("size", "dark"), [(PHONE, True), ((820, 1180), False)], ids=["dark phone", "tablet"])
def test_pages_around_todays_board_fit_and_can_be_used_by_everybody(
    guest: Callable[..., Page], address: str, size: tuple[int, int], *, dark: bool
) -> None:
    page = guest("/", size, dark=dark)
    for path in ("/", "/play", "/play/today", "/play/today/gongzhu", "/play/games"):
        page.goto(address + path)
        assert (findings(page), overflow(page)) == ([], 0), path
        assert len(page.content().encode()) < 60_000


def others(page: Page) -> list[str]:
    """The names of the other players, clockwise."""
    return page.locator(".seat .name").all_inner_texts()[1:]


def test_the_play_page_plays_at_once_against_bots_of_one_level(guest: Callable[..., Page]) -> None:
    page = guest("/play?variant=hearts-short")
    page.get_by_role("radio", name="easy").check()
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_selector("person-table .seat")
    assert others(page) == [*NAMES["cautious"][:3]]


def test_choosing_a_single_opponent_is_choosing_no_level(guest: Callable[..., Page]) -> None:
    page = guest("/play?variant=hearts-short")
    assert page.is_checked("[name=level][value=steady]")
    page.click("summary")
    page.select_option("[name=chair2]", "random")
    assert page.is_checked("[name=level][value=chosen]")
    page.select_option("[name=length]", "deals:1")
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_selector("person-table .seat")
    assert others(page) == [NAMES["counting"][0], NAMES["random"][0], NAMES["counting"][1]]


def test_own_games_are_listed_played_again_and_deleted(guest: Callable[..., Page], address: str) -> None:
    page = guest("/play/games")
    assert page.locator("tbody").count() == 0
    page.goto(f"{address}/play?variant=hearts-short")
    page.click("summary")
    page.select_option("[name=length]", "deals:1")
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_selector("person-table")
    place = page.evaluate(PLAYS)
    table = page.url
    rows = page.get_by_role("region", name="My games").locator("tbody tr")

    def is_listed() -> bool:
        page.goto(f"{address}/play/games")
        return rows.count() == 1

    until(is_listed)
    assert f"{place} of 4" in rows.inner_text()
    assert all(name in rows.inner_text() for name in NAMES["counting"][:3])
    assert (findings(page), overflow(page)) == ([], 0)
    rows.locator("a").first.click()
    page.wait_for_url(table)
    page.get_by_role("button", name="The same table again").click()
    page.wait_for_url(lambda url: url not in (table, address + "/play"))
    page.wait_for_selector("person-table .seat")
    assert others(page) == [*NAMES["counting"][:3]]
    assert page.locator(".seat .title .avatar").count() == 3
    page.goto(f"{address}/play/games")
    page.click("summary")
    page.get_by_role("button", name="Delete my games").click()
    expect(page.get_by_role("alert")).to_contain_text("you are sure")
    page.click("summary")
    page.get_by_label("I am sure").check()
    page.get_by_role("button", name="Delete my games").click()
    page.wait_for_selector("text=You have not played a game to its end here yet.")
    assert page.goto(table).status == 404  # type: ignore[union-attr]
