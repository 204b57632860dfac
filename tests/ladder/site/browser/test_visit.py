"""A whole visit: today's board, its result, a puzzle, two bots compared; by keys, by touch, and as it is read aloud."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from ladder.settings.settings import load_settings
from tests.ladder.ladders import new_ladder, played, recorded_match
from tests.ladder.puzzles import add_puzzles
from tests.ladder.site.browser.at_table import by_ear, by_finger, by_keys, played_to_the_end
from tests.ladder.site.browser.pages import DESKTOP, PHONE, Kind, without_loop
from tests.ladder.site.browser.tables_served import tables_served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Locator, Page

    from tests.ladder.site.browser.pages import Lending

pytestmark = [pytest.mark.chromium, pytest.mark.usefixtures("few_playouts")]
AT_ONCE = {"speed": 0, "taps": 2, "verify": False}
KEPT = "if (location.protocol === 'http:') localStorage['pigpen-play'] ??= {};"
MAX_TABS = 200


def press(page: Page, wanted: Locator) -> None:
    """Go to it with the Tab key, and press Enter."""
    wanted.wait_for()
    for _ in range(MAX_TABS):
        if wanted.evaluate("each => each === document.activeElement"):
            page.keyboard.press("Enter")
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the Tab key does not lead to {wanted}")


def tap(page: Page, wanted: Locator) -> None:
    """Touch it where it is; it is large enough."""
    wanted.tap()


def activate(page: Page, wanted: Locator) -> None:
    """Do as a screen reader does, which has no pointer."""
    wanted.wait_for()
    wanted.dispatch_event("click")


@dataclass(frozen=True)
class Way:
    """A person's way of using pages."""

    use: Callable[[Page, Locator], None]
    """A link or a button."""
    decide: Callable[[Page, str], None]
    """A card at the table."""
    size: tuple[int, int]
    touch: bool = False


WAYS = {
    "keys": Way(press, by_keys, DESKTOP),
    "touch": Way(tap, by_finger, PHONE, touch=True),
    "ear": Way(activate, by_ear, DESKTOP),
}


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr("ladder.app.computing.computing_run.look_for_puzzles", lambda ladder, session, now: None)
    ladder = new_ladder(load_settings(data_dir=tmp_path))
    add_puzzles(ladder, recorded_match(ladder, without_loop(played, "hearts")))
    with tables_served(ladder) as address:
        yield address
    ladder.database.close()


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_whole_visit_is_made_without_a_mouse(address: str, lending: Lending, way: Way) -> None:
    """Every link and button is found by its role and its name, as a screen reader reads them."""
    page = lending.page(Kind(touch=way.touch, first=KEPT.format(json.dumps(json.dumps(AT_ONCE)))), way.size, calm=True)

    def use(role: str, name: str, within: str = "main") -> None:
        way.use(page, page.locator(within).get_by_role(role, name=name, exact=True).first)  # type: ignore[arg-type]

    page.goto(address)
    use("button", "Play")
    page.wait_for_selector("person-table .pick")
    assert played_to_the_end(page, way.decide, lambda page: use("button", "Go on")) > 3
    use("link", "The result")
    use("link", "Your board beside others")
    page.get_by_text("Place ", exact=False).first.wait_for()
    use("link", "Pigpen", "header")
    use("link", "Find the best card")
    use("button", "4 of diamonds")
    page.get_by_role("status").get_by_text("Right.").wait_for()
    if page.locator("header .menu").is_visible():
        use("button", "Menu", "header")
    use("link", "Bots", "header")
    use("link", "Trotter")
    use("link", "Compare with Snout: 1")
    page.wait_for_url("**/compare/Trotter**")
    assert page.get_by_role("heading", level=1).inner_text() == "Trotter and Snout"
    assert lending.logged(lambda logged: logged.errors) == []
