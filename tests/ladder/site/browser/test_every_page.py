"""Every page in a real browser: for everybody, on every screen, with and without scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ladder.site.browser.looking import COLOURS, findings, off_centre, overflow
from tests.ladder.site.browser.pages import DESKTOP, PHONE

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.ladder.site.browser.conftest import Served

    Open = Callable[..., Page]

pytestmark = [pytest.mark.chromium, pytest.mark.usefixtures("few_playouts")]

PAGES = (
    "/", "/v/gongzhu", "/v/gongzhu?q=zzz&all=1", "/v/gongzhu/matchups", "/v/gongzhu/seasons", "/compare",
    "/compare/Trotter/Snout?v=gongzhu", "/b", "/b/Trotter", "/b/Trotter/style",
    "/b/Trotter/inbox",
    "/o/owner of Trotter", "/m", "/m/{faulty}", "/live", "/live/{faulty}", "/play", "/play?variant=own",
    "/rules/gongzhu", "/learn", "/learn/gongzhu/deal", "/help", "/help/design",
    "/new", "/data", "/api", "/puzzles", "/puzzles/gongzhu", "/studies",
)  # fmt: skip
LIKE_ANOTHER = {"/v/gongzhu?q=zzz&all=1", "/b", "/b/Trotter/inbox", "/m", "/live"}
"""Pages whose parts others have, too: in each push axe does not look at them."""
IN_THE_DARK = ("/v/gongzhu", "/b/Trotter", "/m/{faulty}", "/help", "/learn/hearts", "/learn/gongzhu-five/deal")
"""Pages that have all colours."""
SCREENS = {
    "desktop": (DESKTOP, False, (*PAGES, "/play?variant=gongzhu-five")),
    "dark desktop": (DESKTOP, True, IN_THE_DARK),
    "phone": (PHONE, False, PAGES),
}
LATER = pytest.param("desktop", marks=pytest.mark.long)
"""The light colours are looked at on the phone, and the wide layout and the dark ones together."""


@pytest.mark.parametrize("screen", [LATER, "dark desktop", "phone"])
def test_everybody_can_read_it(open_page: Open, site: Served, screen: str) -> None:
    size, dark, paths = SCREENS[screen]
    page = open_page("/help", size, dark=dark)
    wrong: dict[str, object] = {}
    for path in paths:
        page.goto(site.url + path.format(faulty=site.faulty))
        part = "body" if path == paths[0] else "main"  # what is around it is the same on all
        found = [
            *(findings(page, part, COLOURS if dark else "") if screen == "desktop" or path not in LIKE_ANOTHER else []),
            *(["it is too wide"] if overflow(page) > 0 else []),
            *off_centre(page),
        ]
        if found or page.locator("h1").count() != 1:
            wrong[path] = found
    assert wrong == {}


def test_without_scripts_the_words_are_the_same(open_page: Open, site: Served) -> None:
    pages = [open_page("/help", script=script) for script in (True, False)]
    for path in ("/v/gongzhu", "/b/Trotter", f"/m/{site.faulty}", "/help"):
        words = []
        for page in pages:
            page.goto(site.url + path)
            words.append(page.locator("main :is(h1, h2, h3, th)").all_inner_texts())
        assert words[0] == words[1]


def test_times_are_shown_in_the_readers_zone(open_page: Open, site: Served) -> None:
    page = open_page(f"/m/{site.faulty}")
    time = page.locator("time").first
    assert (time.get_attribute("title") or "").endswith(" UTC")
    assert "UTC" not in time.inner_text()


def test_the_first_key_leads_to_the_content(open_page: Open) -> None:
    page = open_page("/v/gongzhu")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.wait_for_url("**#content")


def test_a_search_keeps_its_words_and_finds_the_owner(open_page: Open) -> None:
    page = open_page("/v/gongzhu")
    page.fill("input[name=q]", "snou")
    page.keyboard.press("Enter")
    page.wait_for_url("**?q=snou&by=elo")
    assert page.input_value("input[name=q]") == "snou"
    assert "Trotter" not in page.inner_text("main")


EDGES = """() => [".brand rect", "main h1", "footer > :first-child"]
  .map((each) => Math.round(document.querySelector(each).getBoundingClientRect().left))"""
IN_VIEW = """() => [...document.querySelectorAll("header.top :is(nav a, .account)")].filter((each) => {
  const box = each.getBoundingClientRect();
  return each.checkVisibility() && box.left >= 0 && box.right <= innerWidth && each.scrollWidth <= each.clientWidth;
}).length"""
ENTRIES = 12
"""Entries of the menu, and what says who the reader is."""


@pytest.mark.parametrize("width", [1920, 1440, 820, 390])
@pytest.mark.parametrize("path", ["/help", "/v/gongzhu"])
def test_header_content_and_footer_begin_at_one_edge(open_page: Open, path: str, width: int) -> None:
    assert len(set(open_page(path, (width, 900)).evaluate(EDGES))) == 1


@pytest.mark.parametrize("size", [DESKTOP, (820, 900), PHONE, (844, 390)])
def test_all_of_the_menu_is_seen_at_once_or_behind_its_button(open_page: Open, size: tuple[int, int]) -> None:
    page = open_page("/b/Trotter", size)
    button = page.locator("header .menu")
    if button.is_visible():
        assert page.evaluate(IN_VIEW) == 1
        button.press("Enter")
        assert findings(page, "header") == []
    assert page.evaluate(IN_VIEW) == ENTRIES
    assert page.locator("header [aria-current]").get_attribute("href") == "/b"
    page.locator("header nav a").nth(1).click()
    page.wait_for_url("**/play")
    assert page.locator("header [aria-current]").get_attribute("href") == "/play"


@pytest.mark.parametrize(
    ("path", "entry"),
    [("/play/today", "/play/today"), ("/play/games", "/play/games"), ("/v/gongzhu/matchups", "/v"), ("/compare", "/v"),
     ("/o/owner of Trotter", "/b"), ("/puzzles/gongzhu", "/puzzles"), ("/", None)],
)  # fmt: skip
def test_the_menu_says_where_one_is(open_page: Open, path: str, entry: str | None) -> None:
    marked = open_page(path).locator("header [aria-current]").all()
    assert [each.get_attribute("href") for each in marked] == ([entry] if entry else [])
