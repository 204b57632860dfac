"""Every page in a real browser: for everybody, on every screen, with and without scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ladder.site.browser.looking import COLOURS, findings, overflow
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
    "/rules/gongzhu", "/help", "/help/design", "/new", "/data", "/api", "/puzzles", "/puzzles/gongzhu",
)  # fmt: skip
LIKE_ANOTHER = {"/v/gongzhu?q=zzz&all=1", "/b", "/b/Trotter/inbox", "/m", "/live"}
"""Pages whose parts others have, too: in each push axe does not look at them."""
IN_THE_DARK = ("/v/gongzhu", "/b/Trotter", "/m/{faulty}", "/help")
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
