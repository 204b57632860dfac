"""The rules with cards in a real browser: by keyboard, without scripts, on every screen, in both colours."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.ladder.site.browser.looking import findings, overflow

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

pytestmark = pytest.mark.chromium
SMALL = """() => [...document.querySelectorAll(".tries summary")].map((each) => each.getBoundingClientRect())
  .filter((box) => box.width < 44 || box.height < 44).length"""


@pytest.mark.parametrize(
    ("width", "dark", "name"), [(390, True, "gongzhu-sale"), (820, False, "gongzhu"), (1440, True, "chinese-hearts")]
)
def test_everybody_can_read_and_try_it(open_page: Callable[..., Page], width: int, name: str, *, dark: bool) -> None:
    page = open_page(f"/rules/{name}", (width, 900), dark=dark)
    assert page.evaluate(SMALL) == 0
    for item in page.locator(".situations > li").all():
        item.locator("summary").last.press("Enter")
    assert page.locator(".tries details[open] p").count() == page.locator(".situations > li").count() == 6
    assert overflow(page) == 0
    assert findings(page) == []


def test_one_answer_of_a_question_is_open_at_a_time(open_page: Callable[..., Page]) -> None:
    first = open_page("/rules/gongzhu").locator(".situations > li").first
    for choice in first.locator("summary").all():
        choice.press("Enter")
        assert first.locator("details[open]").count() == 1


@pytest.mark.parametrize("script", [True, False])
def test_the_first_deal_is_played_by_following_the_coach(open_page: Callable[..., Page], *, script: bool) -> None:
    page = open_page("/learn/gongzhu", (390, 844), script=script)
    page.locator("[data-first-deal]").click()
    page.wait_for_selector(".hand .right")
    for choice in range(20):
        if not page.locator(".hand .right").count():
            break
        assert page.locator(".advice").bounding_box()
        page.locator(".hand .right").click()
        page.wait_for_url(re.compile(rf"cards=[^-]+(-[^-]+){{{choice}}}#table$"))
    assert page.locator(".coach table tbody tr").count() == 4
    assert overflow(page) == 0
    if script:  # axe is one
        assert findings(page) == []
    assert page.locator("form[action='/play'] button").is_visible()
