"""Boards that others play, too, and practice, in a real browser, at tables that are really played."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from ladder.settings.settings import load_settings
from referee.records.rules_file import to_toml
from tests.ladder.ladders import new_ladder, played, recorded_match
from tests.ladder.site.browser.at_table import by_mouse, played_to_the_end
from tests.ladder.site.browser.looking import findings, overflow
from tests.ladder.site.browser.pages import DESKTOP, PHONE, Kind, without_loop
from tests.ladder.site.browser.playing import BRIEF
from tests.ladder.site.browser.sitting import IN_A_HURRY, KEPT, KNOWN
from tests.ladder.site.browser.tables_served import tables_served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Page

    from tests.ladder.site.browser.pages import Lending

    Open = Callable[..., Page]

pytestmark = [pytest.mark.chromium, pytest.mark.usefixtures("few_playouts")]

ASKED = "kind => document.querySelector('person-table').choice?.question.kind === kind"
SIZES = [DESKTOP, pytest.param(PHONE, marks=pytest.mark.long)]
VERIFIED = "verify-record [role=status]"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A ladder with one match, its site, and its tables."""
    ladder = new_ladder(load_settings(data_dir=tmp_path_factory.mktemp("boards")))
    recorded_match(ladder, without_loop(played, "gongzhu", form="boards:1"))
    with tables_served(ladder) as found:
        yield found
    ladder.database.close()


@pytest.fixture
def visit(address: str, lending: Lending) -> Iterator[Open]:
    """Open a page as a person in a hurry; in the end no script has failed."""

    def visit(path: str, size: tuple[int, int] = DESKTOP, dark: bool = False) -> Page:
        page = lending.page(Kind(first=KEPT % json.dumps(IN_A_HURRY) + KNOWN), size, dark, calm=True)
        page.goto(address + path)
        return page

    yield visit
    assert lending.logged(lambda logged: logged.errors) == []


def go_on(page: Page) -> None:
    page.click(".go-on")


def play_it(page: Page) -> None:
    """Play the table to its end."""
    page.wait_for_selector("person-table .pick")
    assert played_to_the_end(page, by_mouse, go_on) > 3


@pytest.mark.parametrize("size", SIZES, ids=["desktop", "phone"])
def test_todays_board_is_played_compared_and_verified(visit: Open, size: tuple[int, int]) -> None:
    page = visit("/play/today/gongzhu-five", size)
    assert (findings(page), overflow(page)) == ([], 0)
    page.fill("input[name=shown]", "Ada")
    page.click("form.fields button.main")
    play_it(page)
    page.click("text=Compare with others")
    page.wait_for_selector("tr.mine")
    assert "Ada" in page.inner_text("tr.mine")
    page.click("a[href*='with=house-exact']")
    assert "you and exact differ" in page.inner_text("#beside")
    assert (findings(page), overflow(page)) == ([], 0)
    page.click("verify-record button")
    page.wait_for_selector(f"{VERIFIED}.good, {VERIFIED}.bad")
    assert page.inner_text(VERIFIED).startswith("✓ Verified in this browser")
    page.click("tr.first-difference td a >> nth=1")
    page.wait_for_selector("deal-replayer .seat")
    assert "exact" in page.inner_text("h1 + p")
    assert overflow(page) == 0
    page.wait_for_selector("#why .ask button")
    page.click("#why .ask button >> nth=0")
    page.wait_for_selector("#why .answer table")


@pytest.mark.long  # tests/ladder/people/pages/test_board_pages.py does it over HTTP on each push
def test_a_board_of_a_match_is_chosen_on_its_page(visit: Open) -> None:
    page = visit("/m/1/boards/1/3")
    page.click("text=Play this board")
    page.wait_for_selector("select[name=seat]")
    assert (findings(page), overflow(page)) == ([], 0)
    page.select_option("select[name=seat]", index=1)
    page.click("form.fields button.main")
    play_it(page)
    page.click("text=Compare with others")
    page.wait_for_selector("tr.mine")
    assert page.locator("a[href*='with=bot-']").count() == 4
    page.click("a[href*='with=bot-2']")
    page.click("tr.first-difference td a >> nth=0")
    page.wait_for_selector("deal-replayer .seat")


@pytest.mark.parametrize("size", SIZES, ids=["desktop", "phone"])
def test_in_practice_the_model_is_asked_and_dear_decisions_are_told(visit: Open, size: tuple[int, int]) -> None:
    page = visit("/play?variant=own", size)
    page.fill("[name=toml]", to_toml(BRIEF))
    page.check("input[name=practice]")
    page.select_option("select[name=length]", "deals:1")
    page.click(".play-form button.main")
    page.wait_for_selector("person-table .pick")
    page.click("button[data-do=why]")
    page.wait_for_selector("[data-part=hint] table")
    assert "As the cards lay" not in page.inner_text("[data-part=hint]"), "the hidden cards are not looked at"
    assert "The best by estimate: " in page.inner_text("[data-part=log]")
    assert (findings(page, "[data-part=hint]"), overflow(page)) == ([], 0)
    by_mouse(page, "pass")
    page.wait_for_selector("[data-part=hint]", state="hidden")
    page.wait_for_function(ASKED, arg="play")
    page.click("button[data-do=back]")
    page.wait_for_function(ASKED, arg="pass")
    assert "was taken back" in page.inner_text("[data-part=log]")
    played_to_the_end(page, by_mouse, dear_and_on)
    page.reload()  # now it is the page of the result
    page.wait_for_selector("text=Score sheet")
    look_at_costliest(page)
    assert page.locator(".costliest").count() == 1
    assert page.locator(".decision").count() <= 3
    assert (findings(page, "main"), overflow(page)) == ([], 0)


def test_a_game_that_is_over_offers_the_same_table_again(visit: Open) -> None:
    page = visit("/play?variant=own")
    page.fill("[name=toml]", to_toml(BRIEF))
    page.select_option("select[name=length]", "deals:1")
    page.select_option("select[name=chair1]", "tree")
    page.click(".play-form button.main")
    page.wait_for_selector("person-table .pick")
    first, others = page.url, page.locator(".seat .name").all_inner_texts()
    played_to_the_end(page, by_mouse, go_on)
    page.get_by_role("button", name="The same table again").click()
    page.wait_for_selector("person-table .pick")
    assert page.url != first
    assert page.locator(".seat .name").all_inner_texts() == others


def look_at_costliest(page: Page) -> None:
    """Wait for the decisions that cost most: no one has to ask for them."""
    page.wait_for_selector(".costliest > :is(.decision, p:not([role]))")
    if page.locator(".decision").count():
        first = page.locator(".decision").first
        assert first.locator(".chosen .card").count() == first.locator(".better .card").count() > 0
        assert "cost" in first.locator("figcaption").inner_text()
        first.locator("summary").click()
        assert "As the cards lay" in first.inner_text()
        assert first.locator(".estimate").is_visible()
    assert overflow(page) == 0


def dear_and_on(page: Page) -> None:
    look_at_costliest(page)
    assert re.fullmatch("(You took|You shot|.+ shot) .+[.]", page.inner_text(".outcome"))
    assert findings(page, ".end") == []
    go_on(page)
