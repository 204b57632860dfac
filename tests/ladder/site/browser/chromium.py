"""The browser in which tests look at pages."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

PROGRAMS = ("chromium-headless-shell", "chromium")
"""The first one that is there. Without what windows need, a page opens in half of the CPU time."""
ARGUMENTS = ("--no-sandbox", "--js-flags=--single-threaded")
"""Pages are small: threads that compile and collect for them cost more than they save."""


def program() -> str | None:
    """Find Chromium; None if it is not installed."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Debian's Chromium. As long as it is there, this thread has a running event loop."""
    from playwright.sync_api import sync_playwright  # takes long to load, and every run of tests asks for the program

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=ARGUMENTS)
        yield browser
        browser.close()
