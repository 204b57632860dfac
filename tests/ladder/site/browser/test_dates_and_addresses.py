"""Dates as the reader writes them, and addresses that are the same in every language."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ladder.site.browser.pages import Kind

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.ladder.site.browser.conftest import Served
    from tests.ladder.site.browser.pages import Lending

pytestmark = pytest.mark.chromium
WRITTEN = {"en-GB": "15 Jan 2027", "en-US": "Jan 15, 2027", "zh-CN": "2027年1月15日"}


def opened(lending: Lending, site: Served, language: str, path: str) -> Page:
    page = lending.page(Kind(language=language))
    page.goto(site.url + path)
    page.wait_for_selector("time[title]")
    return page


@pytest.mark.parametrize("language", WRITTEN)
def test_a_date_is_written_as_its_reader_does(site: Served, lending: Lending, language: str) -> None:
    text = opened(lending, site, language, f"/m/{site.gongzhu}").inner_text("main time")
    assert text.startswith(WRITTEN[language])
    assert "UTC" not in text


@pytest.mark.parametrize(("language", "year_first"), [("en-GB", False), ("en-US", False), ("zh-CN", True)])
def test_a_day_stays_that_day_in_every_zone(site: Served, lending: Lending, language: str, *, year_first: bool) -> None:
    page = opened(lending, site, language, "/play/today")
    day = page.get_attribute("h1 time", "datetime") or ""
    year, _, date = (part.lstrip("0") for part in day.split("-"))
    text = page.inner_text("h1 time")
    assert text.startswith(year) == year_first
    assert date in text
    assert text != day


def test_a_language_that_was_asked_for_is_remembered_and_leaves_the_address(site: Served, lending: Lending) -> None:
    page = opened(lending, site, "en-US", f"/m/{site.gongzhu}")
    page.click("footer a[lang=zh]")
    page.wait_for_function("() => document.documentElement?.lang === 'zh-Hans' && location.search === ''")
    page.goto(f"{site.url}/v")
    assert page.get_attribute("html", "lang") == "zh-Hans"
    assert "lang" not in page.url
