"""A person at the table, in a real browser: whole games and single moments."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import sync_playwright

from ladder.settings.settings import load_settings
from ladder.site.application import make_app
from tests.ladder.recorded_ladders import new_ladder
from tests.ladder.site.browser.at_table import by_ear, by_keys, by_mouse, played_to_the_end, sat_down
from tests.ladder.site.browser.conftest import DESK, PATIENCE_MS, PHONE
from tests.ladder.site.browser.looking import findings, overflow
from tests.ladder.site.browser.playing import Tables
from tests.ladder.site.serving import running_app

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

    Sit = Callable[..., Page]

pytestmark = pytest.mark.chromium

SMALL = """() => [...document.querySelectorAll("person-table :is(button, select, input, label)")]
  .filter((each) => each.checkVisibility() && !each.closest("dialog:not([open])"))
  .map((each) => [each.outerHTML.slice(0, 80), (each.closest("label") ?? each).getBoundingClientRect()])
  .filter(([, box]) => box.width < 43.5 || box.height < 43.5)
  .map(([name, box]) => `${name} ${box.width}x${box.height}`)"""


@pytest.fixture(scope="module")
def tables() -> Tables:
    return Tables()


@pytest.fixture(scope="module")
def address(tables: Tables, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The site, and tables in its own process."""
    ladder = new_ladder(load_settings(data_dir=tmp_path_factory.mktemp("play")))
    with running_app(make_app(ladder), tables.add_to) as port:
        yield f"http://127.0.0.1:{port}"
    ladder.database.close()


@pytest.fixture(scope="module")
def browser(address: str) -> Iterator[Browser]:
    """Debian's Chromium, for this module."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def sit(browser: Browser, address: str) -> Iterator[Sit]:
    """Begin a game and sit down; in the end no script has failed."""
    wrong: list[str] = []
    contexts = []

    def sit(asked: str, size: tuple[int, int] = DESK, dark: bool = False, touch: bool = False) -> Page:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            has_touch=touch,
            reduced_motion="reduce",
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(f"{address}/tests/new?{asked}")
        return page

    yield sit
    for context in contexts:
        context.close()
    assert wrong == []


def enter(page: Page) -> None:
    page.keyboard.press("Enter")


def test_a_deal_is_played_by_mouse(sit: Sit) -> None:
    page = sat_down(sit("rules=gongzhu-sale&deals=1"))
    assert played_to_the_end(page, by_mouse, lambda page: page.click(".go-on")) > 5
    assert page.locator(".final li").count() == 4


def test_a_game_is_played_with_keys_alone(sit: Sit) -> None:
    page = sat_down(sit("rules=hearts-short&deals=2"))
    assert played_to_the_end(page, by_keys, enter) > 10
    assert page.locator(".score-sheet tbody tr").count() == 2
    assert page.locator("svg.totals polyline").count() == 4


def test_a_deal_is_played_by_roles_and_names(sit: Sit) -> None:
    page = sat_down(sit("rules=hearts&deals=1"))
    assert played_to_the_end(page, by_ear, enter) > 5
    told = page.locator("[role=log] p").all_inner_texts()
    assert told[0] == "Deal 1 begins."
    assert told[-1].startswith("The deal is over: ")
    assert sum(" takes the trick" in each or "You take" in each for each in told) == 13


@pytest.mark.parametrize(
    ("size", "dark", "asked"),
    [
        (DESK, False, "rules=hearts&deals=1"), (DESK, True, "rules=gongzhu-sale&deals=1"),
        (PHONE, True, "rules=gongzhu-five&deals=1"), (PHONE, False, "rules=hearts&deals=1"),
    ],
)  # fmt: skip
def test_everybody_can_use_it(sit: Sit, size: tuple[int, int], dark: bool, asked: str) -> None:
    page = sat_down(sit(asked, size, dark=dark, touch=size == PHONE))
    page.wait_for_selector(".asks")
    wrong = [*findings(page), *(page.evaluate(SMALL) if size == PHONE else [])]
    assert (wrong, overflow(page)) == ([], 0)
