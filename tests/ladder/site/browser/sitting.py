"""The site with tables in its own process, and browsers that sit down there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ladder.settings.settings import load_settings
from ladder.site.application import make_app
from tests.ladder.recorded_ladders import new_ladder
from tests.ladder.site.browser.chromium import chromium
from tests.ladder.site.browser.conftest import DESKTOP, PATIENCE_MS
from tests.ladder.site.browser.playing import Tables
from tests.ladder.site.serving import running_app

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

    Sit = Callable[..., Page]

IN_A_HURRY = {"speed": 0, "taps": 1}


@pytest.fixture(scope="module")
def tables() -> Tables:
    return Tables()


@pytest.fixture(scope="module")
def address(tables: Tables, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The site, and tables in its own process."""
    ladder = new_ladder(load_settings(data_dir=tmp_path_factory.mktemp("play")))
    with running_app(make_app(ladder), tables.add_to) as port:
        yield f"http://127.0.0.1:{port}"
        tables.end()
    ladder.database.close()


@pytest.fixture(scope="module")
def browser(address: str) -> Iterator[Browser]:
    """Debian's Chromium, for this module."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def sit(browser: Browser, address: str, tables: Tables) -> Iterator[Sit]:
    """Begin a game and sit down, as somebody in a hurry; in the end no script has failed."""
    wrong: list[str] = []
    contexts = []

    def sit(
        asked: str,
        size: tuple[int, int] = DESKTOP,
        dark: bool = False,
        touch: bool = False,
        language: str = "en",
        calm: bool = True,
        **settings: float,
    ) -> Page:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            has_touch=touch,
            reduced_motion="reduce" if calm else "no-preference",
            locale=language,
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.add_init_script(f"localStorage['pigpen-play'] ??= '{json.dumps(IN_A_HURRY | settings)}'")
        page.goto(f"{address}/tests/new?{asked}")
        page.wait_for_selector("person-table .pick")
        return page

    yield sit
    for context in contexts:
        context.close()
    tables.end()
    assert wrong == []
