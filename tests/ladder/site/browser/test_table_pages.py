"""The pages around a table of people in a real browser: the form, the waiting room, the page of spectators."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ladder.site.browser.looking import findings, overflow
from tests.ladder.site.browser.pages import PHONE

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.ladder.site.browser.conftest import Served

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
