"""The pages around a table of people in a real browser: the form, the waiting room, the page of spectators."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.settings.settings import load_settings
from tests.ladder.ladders import new_ladder, seem_to_play_tables
from tests.ladder.site.browser.looking import findings, overflow
from tests.ladder.site.browser.pages import PHONE, Kind
from tests.ladder.site.serving import served

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.ladder.site.browser.conftest import Served
    from tests.ladder.site.browser.pages import Lending

    Open = Callable[..., Page]

pytestmark = pytest.mark.chromium


def test_friends_meet_before_the_table_begins(open_page: Open, site: Served) -> None:
    ada = open_page("/play?variant=hearts", PHONE)
    ada.click("details > summary")
    ada.fill("input[name=shown]", "Ada")
    ada.select_option("select[name=chair1]", "friend")
    ada.select_option("select[name=chair2]", "friend")
    ada.click("button.main")
    ada.wait_for_selector("waiting-table")
    assert findings(ada) == []
    assert overflow(ada) <= 0
    link = ada.locator("waiting-table input").first.input_value()
    assert link.startswith(f"{site.url}/play/")
    ben = open_page("/help", PHONE, script=False)
    ben.goto(link)
    assert "seat=" not in ben.url
    ben.fill("input[name=shown]", "Ben")
    ben.click("button.main")
    ben.wait_for_selector("table th:has-text('Ben')")
    assert ben.locator("table").inner_text().count("Ben") == 1
    ada.wait_for_selector("waiting-table th:has-text('Ben')")
    assert ada.locator("waiting-table input").count() == 1
    ada.get_by_role("button", name="End the table").click()
    ada.wait_for_selector("text=The table has ended.")
    assert findings(ada) == []


@pytest.mark.parametrize(("language", "sentence"), [("en", "is not running"), ("zh", "没有运行")])
def test_a_table_without_a_process_that_plays_it_says_so(
    tmp_path: Path, lending: Lending, language: str, sentence: str
) -> None:
    ladder = new_ladder(load_settings(data_dir=tmp_path))
    seem_to_play_tables(ladder)
    with served(ladder) as port:
        page = lending.page(Kind(language=language), PHONE)
        page.goto(f"http://127.0.0.1:{port}/play?variant=hearts")
        page.click("button.main")
        page.wait_for_selector("person-table .prompt")
        seem_to_play_tables(ladder, until=0)
        page.wait_for_selector(f".prompt:has-text('{sentence}')")
        assert page.is_visible("person-table[data-lost]")
        assert findings(page) == []
        assert overflow(page) <= 0
        page.goto(f"http://127.0.0.1:{port}/play/today/hearts")
        page.wait_for_selector(f"main [role=status]:has-text('{sentence}')")
        assert page.locator("form button.main").count() == 0
        assert findings(page) == []
    ladder.database.close()
