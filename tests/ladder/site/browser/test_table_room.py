"""The room of a table: the felt, what stands beside it, the look that a person chooses, and who is told of a turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ladder.site.browser.at_table import by_mouse, next_wanted
from tests.ladder.site.browser.looking import findings, overflow
from tests.ladder.site.browser.pages import DESKTOP, PHONE
from tests.ladder.site.browser.sitting import address, sit, tables

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.ladder.site.browser.sitting import Sit

__all__ = ["address", "sit", "tables"]
pytestmark = pytest.mark.chromium
WIDE = (1440, 900)
MIDDLES = """() => [...document.querySelectorAll(".felt .seat:is(.at-n, .at-nw, .at-ne)")].map((seat) => {
  const cards = [...seat.querySelectorAll(".hand > .card")].map((card) => card.getBoundingClientRect());
  const own = seat.getBoundingClientRect();
  const middle = (cards[0].left + cards.at(-1).right) / 2;
  return [getComputedStyle(seat.querySelector(".hand")).justifyContent, Math.abs(middle - (own.left + own.right) / 2)];
})"""
INDEX_AT = """(place) => {
  const box = document.querySelectorAll(".pick")[place].getBoundingClientRect();
  document.querySelectorAll(".pick .card").forEach((card) => (card.style.pointerEvents = "auto"));
  return document.elementFromPoint(box.left + 6, box.top + 14).closest(".pick")?.dataset.pick;
}"""
CARD = "(place) => document.querySelectorAll('.pick')[place].dataset.pick"
FELT = "getComputedStyle(document.querySelector('.felt')).backgroundImage"
NOTIFIED = """() => {
  window.notified = [];
  window.Notification = class {
    static permission = "default";
    static async requestPermission() { return (this.permission = ANSWER); }
    constructor(title, options) { window.notified.push(`${title}: ${options.body}`); }
    close() { window.notified.push("closed"); }
  };
}"""
AWAY = """(isHidden) => {
  Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_the_felt_has_the_width_of_the_window_and_the_log_is_behind_a_tab(sit: Sit) -> None:
    page = sit("rules=hearts&deals=1", WIDE)
    felt = page.locator(".felt").bounding_box()
    assert felt
    assert felt["width"] > 1000
    assert felt["y"] + felt["height"] <= WIDE[1]
    assert page.locator("#panel-log").evaluate("panel => panel.getBoundingClientRect().height") <= 1
    assert page.get_by_role("log").inner_text().startswith("Deal 1 begins."), "screen readers have it all the time"
    assert (findings(page), overflow(page)) == ([], 0)
    page.get_by_role("tab", name="What has happened").click()
    page.get_by_role("tab", name="What has happened").press("ArrowRight")
    assert page.get_by_role("tab", name="Points").get_attribute("aria-selected") == "true"
    page.get_by_role("tab", name="Points").press("ArrowLeft")
    assert page.locator("#panel-log").evaluate("panel => panel.getBoundingClientRect().height") > 200
    assert page.locator("#panel-points").evaluate("panel => panel.getBoundingClientRect().height") <= 1
    assert (findings(page), overflow(page)) == ([], 0)
    page.keyboard.press("t")
    assert page.get_by_role("tab", name="Points").get_attribute("aria-selected") == "true"


@pytest.mark.parametrize("size", [DESKTOP, (610, 900), PHONE])
def test_a_raised_card_hides_no_index(sit: Sit, size: tuple[int, int]) -> None:
    page = sit("rules=hearts&deals=1", size)
    assert next_wanted(page).startswith("pass")
    for place in (0, 3, 5):
        page.locator(".pick").nth(place).click(position={"x": 8, "y": 16})
        assert page.locator(".pick").nth(place).get_attribute("aria-pressed") == "true"
        assert page.evaluate(INDEX_AT, place + 1) == page.evaluate(CARD, place + 1)


@pytest.mark.parametrize("rules", ["hearts", "gongzhu-five"])
def test_cards_of_players_at_the_top_lie_in_the_middle(sit: Sit, rules: str) -> None:
    for justified, off in sit(f"rules={rules}&deals=1").evaluate(MIDDLES):
        assert justified == "center", "Firefox makes the hand wider than its cards"
        assert off < 2


def test_felt_and_deck_are_chosen_and_kept(sit: Sit) -> None:
    page = sit("rules=hearts&deals=1")
    green = page.evaluate(FELT)
    page.click("[data-do=settings]")
    seen = {green}
    for name in ("blue", "red", "grey"):
        page.select_option("[name=felt]", name)
        seen.add(page.evaluate(FELT))
        assert findings(page, rule="color-contrast") == []
    assert len(seen) == 4
    assert page.locator("html[data-two-colours]").count() == 0
    page.select_option("[name=deck]", "2")
    assert findings(page) == []
    page.reload()
    page.wait_for_selector("person-table .pick")
    assert page.locator("html[data-two-colours][data-felt=grey]").count() == 1
    assert page.evaluate(FELT) != green
    page.click("[data-do=settings]")
    assert (page.input_value("[name=felt]"), page.input_value("[name=deck]")) == ("grey", "2")


def play_away(page: Page) -> None:
    """Answer a question while the page is not looked at, until the next one comes."""
    last = next_wanted(page)
    page.evaluate(AWAY, True)
    by_mouse(page, last.split()[0])
    next_wanted(page, last)


def test_the_title_says_that_it_is_ones_turn(sit: Sit) -> None:
    page = sit("rules=hearts&deals=1")
    next_wanted(page)
    assert page.title().startswith("▸ Your turn · Table: Hearts")
    page.evaluate("document.querySelector('person-table').turn.show('')")
    assert page.title().startswith("Table: Hearts")


def test_a_person_who_allows_it_is_notified_of_a_turn_on_another_page_only(sit: Sit) -> None:
    page = sit("rules=hearts&deals=1")
    page.evaluate(NOTIFIED.replace("ANSWER", "'granted'"))
    play_away(page)
    assert page.evaluate("window.notified") == [], "it is off by default"
    page.evaluate(AWAY, False)
    page.click("[data-do=settings]")
    page.check("[name=notify]")
    page.wait_for_function("() => document.querySelector('person-table').settings.notify")
    page.keyboard.press("Escape")
    play_away(page)
    assert page.evaluate("window.notified") == ["Your turn: Hearts"]
    page.evaluate(AWAY, False)
    assert page.evaluate("window.notified.at(-1)") == "closed"


def test_a_browser_that_refuses_notifications_is_believed(sit: Sit) -> None:
    page = sit("rules=hearts&deals=1")
    page.evaluate(NOTIFIED.replace("ANSWER", "'denied'"))
    page.click("[data-do=settings]")
    page.locator("[name=notify]").click()
    page.wait_for_selector("[data-part=notify-refused]", state="visible")
    assert not page.is_checked("[name=notify]")
    assert findings(page) == []


@pytest.mark.parametrize(("rules", "better"), [("brief", "Fewer"), ("gongzhu", "More")])
def test_points_have_the_colour_of_those_whom_they_help(sit: Sit, rules: str, better: str) -> None:
    page = sit(f"rules={rules}&deals=1&seed=3")
    last = ""
    while (last := next_wanted(page, last)) != "result":
        by_mouse(page, last.split()[0])
    assert better in page.inner_text(".points caption")
    assert better in page.inner_text(".outcome")
    shown = [*page.locator(".points-of h3 b").all(), *page.locator("[data-part=scores] td:nth-child(2)").all()]
    shown += page.locator(".score-sheet tbody td > span").all()
    assert len(shown) == 12
    tones = {(each.inner_text(), *(each.get_attribute("class") or "").replace("num", "").split()) for each in shown}
    for text, *tone in tones:
        is_good = text.startswith("+")
        assert tone == ([] if text == "0" else ["good" if is_good else "bad"])
        assert not is_good or better == "More"
    assert len(tones) > 1
