"""The pages of events in a real browser: on every screen, and a certificate on paper."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from ladder.app.event import holding, reading
from ladder.settings.settings import load_settings
from ladder.site.server.viewer import PLAIN_COOKIE
from ladder.values.accounts import LOCAL, Role
from ladder.values.held_events import EventState
from pigpen.rules import PRESETS
from tests.ladder.accounts import add_person, session_of
from tests.ladder.app.event_ladders import FILE, coordinator_of, open_cup, own_ways, play, started_cup
from tests.ladder.ladders import enter, new_ladder
from tests.ladder.site.browser.looking import findings, off_centre, overflow
from tests.ladder.site.browser.pages import DESKTOP, PHONE, Kind, without_loop
from tests.ladder.site.browser.tables_served import tables_served
from tests.ladder.site.pages.test_events import PODS
from tests.ladder.virtual import Time

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Route

    from tests.ladder.site.browser.pages import Lending

pytestmark = pytest.mark.chromium
PATHS = ("", "/cup", "/cup/rounds/1", "/cup/cross", "/cup/certificate/Bot-1", "/next", "/pods")
PAGES = re.compile(rb"/Type\s*/Page\b")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    ladder = new_ladder(load_settings(data_dir=tmp_path_factory.mktemp("events") / "data", sandbox="process"))
    started_cup(ladder)
    coordinator = coordinator_of(ladder, Time())
    while reading.event(ladder, LOCAL, "cup").state is not EventState.OVER:
        without_loop(play, coordinator, 1, own_ways, at_once=2)
    holding.open_event(ladder, LOCAL, "pods", PODS.format(show="live"), PRESETS["gongzhu"])
    for number in range(1, 9):
        holding.enter(ladder, LOCAL, "pods", f"Bot-{number}")
    holding.freeze(ladder, LOCAL, "pods")
    holding.start(ladder, LOCAL, "pods")
    while reading.event(ladder, LOCAL, "pods").state is not EventState.OVER:
        without_loop(play, coordinator, 1, own_ways, at_once=2)
    holding.open_event(ladder, LOCAL, "next", FILE.format(show="live"), PRESETS["gongzhu"])
    with tables_served(ladder) as address:
        yield f"{address}/events"
    ladder.database.close()


@pytest.mark.parametrize(
    ("size", "dark"), [(PHONE, False), ((820, 1180), True), (DESKTOP, True)], ids=["phone", "dark tablet", "dark"]
)
def test_everybody_can_read_it(lending: Lending, address: str, size: tuple[int, int], *, dark: bool) -> None:
    page = lending.page(Kind(), size, dark)
    wrong = {}
    for path in PATHS:
        page.goto(address + path)
        assert len(page.content().encode()) < 60_000
        found = [*findings(page), *(["it is too wide"] if overflow(page) > 0 else [])]
        if found or page.locator("h1").count() != 1:
            wrong[path] = found
    assert wrong == {}


def test_a_certificate_prints_on_one_page(lending: Lending, address: str) -> None:
    page = lending.page(Kind(), DESKTOP, False)
    page.goto(f"{address}/cup/certificate/Bot-1")
    for is_landscape in (False, True):
        assert len(PAGES.findall(page.pdf(format="A4", landscape=is_landscape))) == 1


def test_a_bracket_is_columns_and_on_a_phone_and_on_paper_one_below_the_other(lending: Lending, address: str) -> None:
    for size, is_paper, is_beside in ((DESKTOP, False, True), (PHONE, False, False), (DESKTOP, True, False)):
        page = lending.page(Kind(script=False), size, False)
        page.emulate_media(media="print" if is_paper else "screen")
        page.goto(f"{address}/pods")
        boxes = [each.bounding_box() for each in page.locator(".bracket section").all()]
        (first, second) = (each for each in boxes if each)
        assert (first["x"] + first["width"] <= second["x"]) == is_beside
        assert (first["y"] + first["height"] <= second["y"]) == (not is_beside)
        cut = "node => [...node.querySelectorAll('li span')].filter(e => e.scrollWidth > e.clientWidth).length"
        assert page.locator(".bracket").evaluate(cut) == 0
    assert "→ Final" in page.locator(".bracket .on").first.inner_text()


@pytest.fixture
def presented(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The presenter's page of an event with results that are not shown yet, and an organiser's session."""
    ladder = new_ladder(load_settings(data_dir=tmp_path / "data", sandbox="process"))
    started_cup(ladder, file=FILE.format(show="manual"))
    without_loop(play, coordinator_of(ladder, Time()), 1, own_ways, at_once=2)
    add_person(ladder, "olga", Role.ORGANISER)
    with tables_served(ladder) as address:
        yield f"{address}/events/cup/present", session_of(ladder, "olga")
    ladder.database.close()


def test_a_presenter_shows_results_with_the_enter_key(lending: Lending, presented: tuple[str, str]) -> None:
    address, secret = presented
    page = lending.page(Kind(script=False), DESKTOP, True, calm=True)
    page.context.add_cookies([{"name": PLAIN_COOKIE, "value": secret, "url": address}])
    page.goto(address)
    for table in (1, 2):
        assert page.locator(".shown b").count() == 4 * (table - 1)
        assert f"Table {table}" in page.locator("h2").last.inner_text()
        page.keyboard.press("Enter")
        page.wait_for_url(f"{address}?round=1&table={table}")
        assert page.locator(".shown b").count() == 4
    assert "no result that " in page.inner_text("main")


@pytest.mark.parametrize("size", [PHONE, PHONE[::-1], DESKTOP], ids=["phone", "on its side", "desktop"])
def test_everybody_can_read_the_presenters_page(
    lending: Lending, presented: tuple[str, str], size: tuple[int, int]
) -> None:
    address, secret = presented
    page = lending.page(Kind(), size, False, calm=True)
    page.context.add_cookies([{"name": PLAIN_COOKIE, "value": secret, "url": address}])
    page.goto(address)
    for table, results in ((1, 0), (2, 4)):
        assert page.locator(".shown b").count() == results
        assert findings(page) == []
        assert overflow(page) <= 0
        assert page.evaluate("scrollY") == 0, "the focus is on the button, and the result is in sight"
        page.keyboard.press("Enter")
        page.wait_for_url(f"{address}?round=1&table={table}")


def test_a_presenter_whose_network_fails_keeps_the_page_and_sends_the_form_again(
    lending: Lending, presented: tuple[str, str]
) -> None:
    address, secret = presented
    page = lending.page(Kind(), DESKTOP, True, calm=True)
    page.context.add_cookies([{"name": PLAIN_COOKIE, "value": secret, "url": address}])
    page.goto(address)
    page.route("**/present", lambda route: route.abort())  # the request is lost
    page.keyboard.press("Enter")
    page.get_by_role("alert").wait_for()
    page.unroute("**/present")

    def lose_the_answer(route: Route) -> None:
        route.fetch(max_redirects=0)
        route.abort()

    page.route("**/present", lose_the_answer, times=1)
    page.wait_for_function("() => document.activeElement.matches('button.main:enabled')")
    page.keyboard.press("Enter")
    page.get_by_role("alert").wait_for()
    page.wait_for_function("() => document.activeElement.matches('button.main:enabled')")
    page.keyboard.press("Enter")
    page.locator(".shown b").first.wait_for()
    assert "Table 1" in page.locator("h2").first.inner_text()
    assert "Table 2" in page.locator(".next h2").inner_text()
    assert page.get_by_role("alert").is_hidden()


BEGINS = """() => [...document.querySelectorAll(".shown > *")].map((each) => [
  each.className.match(/place-(\\d)/)[1],
  Math.max(...each.getAnimations({ subtree: true }).map((one) => one.effect.getTiming().delay)),
])"""
LATER = "document.querySelector('.then').getAnimations()[0].effect.getTiming().delay"


def test_places_are_uncovered_from_the_last_one_to_the_first_and_then_what_follows(
    lending: Lending, presented: tuple[str, str]
) -> None:
    address, secret = presented
    page = lending.page(Kind(), DESKTOP, False)
    page.context.add_cookies([{"name": PLAIN_COOKIE, "value": secret, "url": address}])
    page.goto(address)
    page.evaluate("window.isStill = true")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{address}?round=1&table=1")
    begins = [(int(place), delay) for place, delay in page.evaluate(BEGINS)]
    assert [delay for _, delay in sorted(begins, reverse=True)] == sorted(delay for _, delay in begins)
    assert page.evaluate(LATER) > max(delay for _, delay in begins)
    assert page.evaluate("window.isStill"), "a new page would leave the full screen"
    assert page.evaluate("document.activeElement.textContent") == "Show the result"
    assert page.locator("header.top").is_hidden()
    assert page.locator(".shown .avatar").count() == 4
    page.locator("[data-do=full]").click()
    page.wait_for_function("() => document.fullscreenElement !== null")
    page.locator("[data-do=full]").click()
    page.wait_for_function("() => document.fullscreenElement === null")


def test_a_certificate_has_one_axis(lending: Lending, address: str) -> None:
    for size in (DESKTOP, PHONE):
        page = lending.page(Kind(), size, False)
        page.goto(f"{address}/cup/certificate/Bot-1")
        page.locator(".framed").wait_for()
        assert off_centre(page) == []


def test_a_browser_makes_and_keeps_a_nonce_that_is_wanted_and_reveals_it_after_the_freeze(
    lending: Lending, tmp_path: Path
) -> None:
    ladder = new_ladder(load_settings(data_dir=tmp_path / "data", sandbox="process"))
    open_cup(ladder, 3)
    with ladder.database.write() as session:
        enter(session, "Trotter", "gongzhu", owner="ada")
    add_person(ladder, "ada")
    with tables_served(ladder) as address:
        page = lending.page(Kind(), DESKTOP, False)
        secret = session_of(ladder, "ada")
        page.context.add_cookies([{"name": PLAIN_COOKIE, "value": secret, "url": address}])
        page.goto(f"{address}/events/cup/entries")
        page.get_by_role("button", name="Enter Trotter").click()
        page.get_by_role("cell", name="made by the ladder").wait_for()
        assert findings(page) == []
        page.get_by_role("checkbox").check()
        page.get_by_role("button", name="Enter Trotter").click()
        page.get_by_role("cell", name="kept where it was made").wait_for()
        (entry,) = (one for one in reading.event(ladder, LOCAL, "cup").entrant_list if one.name == "Trotter")
        assert (entry.has_own_nonce, entry.nonce) == (True, None)
        holding.freeze(ladder, LOCAL, "cup")
        page.goto(f"{address}/events/cup/entries")
        page.get_by_role("cell", name="revealed", exact=True).wait_for()
        assert findings(page) == []
    (entry,) = (one for one in reading.event(ladder, LOCAL, "cup").entrant_list if one.name == "Trotter")
    assert entry.nonce
    holding.start(ladder, LOCAL, "cup")
    ladder.database.close()
