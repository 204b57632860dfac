"""Ladder TV on the front page and on pages of live matches: they never end dead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.ladder.site.browser.looking import findings, overflow
from tests.ladder.site.browser.pages import DESKTOP, PHONE

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page, Route

    from tests.ladder.site.browser.conftest import Served

pytestmark = pytest.mark.chromium
MAX_BYTES = 60_000
WEIGHT = """() => performance.getEntriesByType("resource").filter((each) => !each.name.includes("/api/"))
  .reduce((sum, each) => sum + each.encodedBodySize, performance.getEntriesByType("navigation")[0].encodedBodySize)"""
NEWS = "ladder-tv [data-part=news]"


def watching(page: Page) -> Page:
    """Wait until a board is shown."""
    page.locator("ladder-tv").scroll_into_view_if_needed()
    page.wait_for_selector("ladder-tv .seat .card")
    return page


def board_of(page: Page) -> str:
    return page.get_attribute("ladder-tv [data-part=link]", "href") or ""


def test_a_board_is_played_with_all_hands_and_can_be_paused_and_left_for_the_next(
    open_page: Callable[..., Page],
) -> None:
    page = watching(open_page("/"))
    assert page.locator("ladder-tv .card.back").count() == 0
    first, before = board_of(page), page.inner_text(NEWS)
    page.wait_for_function(f"before => document.querySelector('{NEWS}').textContent !== before", arg=before)
    pause = page.get_by_role("button", name="Pause")
    pause.click()
    assert pause.get_attribute("aria-pressed") == "true"
    page.get_by_role("button", name="Next board").click()
    page.wait_for_function(
        "before => document.querySelector('[data-part=link]').getAttribute('href') !== before", arg=first
    )
    assert page.inner_text(NEWS) == "The cards are dealt."
    assert page.evaluate(WEIGHT) <= MAX_BYTES
    page.click("ladder-tv [data-part=link]")
    page.wait_for_selector("deal-replayer .seat")


@pytest.mark.parametrize(("size", "dark"), [(PHONE, True), (DESKTOP, False)])
def test_a_costly_decision_is_shown_with_what_its_choices_were_worth(
    open_page: Callable[..., Page], site: Served, size: tuple[int, int], *, dark: bool
) -> None:
    def choice(card: str, behind: float, *, chosen: bool) -> dict[str, object]:
        others = {"points": -30.0, "points_error": 2.0, "ahead": -behind, "house": ["counting"], "as_dealt": 10.0}
        moon: dict[str, object] = {"kind": "moon", "cards": [], "suit": None, "without": None, "points": 12.04}
        reasons = [{**moon, "after": 0.031, "after_best": 0.2}] if chosen else []
        return {"choice": card, "behind": behind, "behind_error": 5.0, "chosen": chosen, "reasons": reasons, **others}

    choices = [choice("2C", 0.0, chosen=False), choice("QS", 12.34, chosen=True)]
    found = [
        {"step": step, "seat": 2, "cost": 12.34, "cost_error": 5.0, "legal": 7, "choices": choices, "deals": 300}
        | {"search": "tree", "partners": True}
        for step in range(9, 60)  # cards: passes and exposures come before
    ]
    page = open_page("/help", size, dark=dark)
    page.route("**/mistakes", lambda route: route.fulfill(json={"mistakes": found}))
    page.route("**/api/v1/tv*", lambda route: route.fulfill(json=route.fetch().json() | {"is_estimating": True}))
    page.goto(f"{site.url}/live")
    watching(page)
    page.wait_for_selector("ladder-tv .worth .sentence")
    page.get_by_role("button", name="Pause").click()
    worth = page.locator("ladder-tv .worth")
    sentence = worth.locator(".sentence")
    assert re.fullmatch(r"2 keeps 12 points; \S+ plays Q\.", sentence.inner_text()), "signs of suits are drawn"
    named = [each.get_attribute("aria-label") for each in sentence.get_by_role("img").all()]
    assert named == ["2 of clubs", "queen of spades"]
    assert not worth.locator("table").is_visible(), "figures are behind *more*"
    before = page.inner_text(NEWS)
    page.get_by_role("button", name="Pause").click()
    page.wait_for_function(f"before => document.querySelector('{NEWS}').textContent !== before", arg=before)
    worth.locator("summary").click()
    page.wait_for_selector("ladder-tv button[aria-pressed=true]")  # figures take time to read
    assert worth.locator("tbody tr").count() == 2
    assert "cost 12.3 points ± 5.0" in worth.inner_text()
    text = " ".join(worth.locator(".reasons").inner_text().split())
    reason = (
        "+12.0 the moon is shot by this side in 3 % of the deals after Q, in 20 % after 2, if no other seat prevents it"
    )
    assert text == reason
    assert worth.locator("svg.behind").count() == 2
    assert "−12.3 ± 5.0" in worth.inner_text()
    assert (findings(page), overflow(page)) == ([], 0)


@pytest.mark.parametrize(
    ("kind", "choices", "cost", "sentence"),
    [
        ("play", ("2C", "QS"), 0.342, r"2 keeps 0\.3 points; \S+ plays Q\."),
        ("play", ("2C", "QS"), 9.96, r"2 keeps 10\.0 points; \S+ plays Q\."),
        ("expose", ("QS", ""), 30.4, r"Better by 30 points: Q\. \S+ chooses: nothing\."),
        ("expose", ("", "QS"), 30.4, r"Better by 30 points: nothing\. \S+ chooses: Q\."),
    ],
)
def test_its_sentence_is_about_what_was_decided(
    open_page: Callable[..., Page], site: Served, kind: str, choices: tuple[str, str], cost: float, sentence: str
) -> None:
    """A cost of less than half a point is not said to be none, and a card that is exposed is not played."""
    figures = {"points": 0.0, "points_error": 0.1, "ahead": 0.0, "behind_error": 0.1, "as_dealt": 0.0}
    rows = [
        {"choice": choice, "behind": behind, "chosen": bool(behind), "reasons": [], "house": [], **figures}
        for choice, behind in zip(choices, (0.0, cost), strict=True)
    ]
    found = [
        {"step": step, "seat": 0, "cost": cost, "cost_error": 0.1, "legal": 2, "choices": rows, "deals": 300}
        | {"search": "playouts", "partners": False}
        for step in range(1, 60)
    ]

    def deal(route: Route) -> None:
        shown = route.fetch().json()
        for moment in shown["moments"]:
            for step in moment["steps"]:
                step["kind"] = kind
        route.fulfill(json=shown)

    page = open_page("/help")
    page.route("**/api/v1/matches/*/boards/*/rotations/*", deal)
    page.route("**/mistakes", lambda route: route.fulfill(json={"mistakes": found}))
    page.route("**/api/v1/tv*", lambda route: route.fulfill(json=route.fetch().json() | {"is_estimating": True}))
    page.goto(f"{site.url}/live")
    watching(page)
    expect(page.locator("ladder-tv .worth .sentence")).to_have_text(re.compile(f"^{sentence}$"))


@pytest.mark.parametrize(("size", "dark"), [(PHONE, True), (DESKTOP, False), ((820, 1180), True)])
def test_everybody_can_use_it(open_page: Callable[..., Page], size: tuple[int, int], *, dark: bool) -> None:
    page = watching(open_page("/live", size, dark=dark))
    page.get_by_role("button", name="Pause").click()
    assert (findings(page), overflow(page)) == ([], 0)


def test_a_live_page_of_a_match_that_is_over_goes_on_with_its_boards(
    open_page: Callable[..., Page], site: Served
) -> None:
    page = watching(open_page(f"/live/{site.gongzhu}"))
    assert board_of(page).startswith(f"/m/{site.gongzhu}/boards/")


def test_when_a_live_match_ends_its_result_and_ladder_tv_appear(open_page: Callable[..., Page], site: Served) -> None:
    page = open_page("/help")
    page.goto(f"{site.url}/live/{site.gongzhu}")
    watching(page)
    page.evaluate("document.querySelector('ladder-tv').hidden = true")
    assert not page.is_visible("ladder-tv")
    static = (page.locator("link[rel=stylesheet]").first.get_attribute("href") or "").removesuffix("style.css")
    page.evaluate(
        """async (folder) => {
          await import(`${folder}live.js`);
          const match = document.createElement("live-match");
          match.follow = () => {};
          document.querySelector("main").append(match);
          match.take({ type: "end" });
        }""",
        static,
    )
    assert page.is_visible("ladder-tv")


def test_without_scripts_there_are_links_to_the_newest_matches(open_page: Callable[..., Page]) -> None:
    page = open_page("/live", script=False)
    assert page.get_attribute("ladder-tv a", "href") == "/m"
    assert not page.is_visible("ladder-tv button")
    assert "Without scripts" in page.inner_text("ladder-tv")
    box = page.locator("ladder-tv").bounding_box()
    assert box
    assert box["height"] < 200, "no frame without content"
