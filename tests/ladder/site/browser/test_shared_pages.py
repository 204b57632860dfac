"""A page that tests have after each other has nothing of the test before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ladder.site.browser.pages import Kind

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.ladder.site.browser.conftest import Served
    from tests.ladder.site.browser.pages import Pages

pytestmark = pytest.mark.chromium
KEPT = "() => [document.cookie, localStorage.length, sessionStorage.length]"


def leave_something(page: Page, site: Served) -> None:
    """Leave all that a page can keep, and an answer that the site did not give."""
    page.goto(site.url)
    page.evaluate("() => { document.cookie = 'a=b'; localStorage.c = sessionStorage.d = 'e'; console.error('f'); }")
    page.route("**/help", lambda route: route.fulfill(body="g"))
    page.context.new_page()


def test_a_page_that_is_used_again_has_nothing_of_the_test_before(pages: Pages, site: Served) -> None:
    kind = Kind(language="en-GB")  # no other test has one of this kind
    with pages.lending() as lending:
        first = lending.page(kind)
        leave_something(first, site)
        assert first.evaluate(KEPT) == ["a=b", 1, 1]
        assert lending.logged(lambda logged: logged.complaints) == ["f"]
    with pages.lending() as lending:
        second = lending.page(kind)
        assert lending.logged(lambda logged: [*logged.complaints, *logged.requests]) == []
        second.goto(f"{site.url}/help")
        assert second is first
        assert second.evaluate(KEPT) == ["", 0, 0]
        assert len(second.context.pages) == 1
        assert second.inner_text("body") != "g"
