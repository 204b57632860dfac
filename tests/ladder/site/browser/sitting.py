"""The site with tables in its own process, and browsers that sit down there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ladder.serving.application import make_app
from ladder.settings.settings import load_settings
from tests.ladder.ladders import new_ladder
from tests.ladder.site.browser.pages import DESKTOP, Kind
from tests.ladder.site.browser.playing import Tables
from tests.ladder.site.serving import running_app

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Page

    from tests.ladder.site.browser.pages import Lending

    Sit = Callable[..., Page]

KEPT = "if (location.protocol === 'http:') localStorage['pigpen-play'] ??= '%s';"
KNOWN = "if (location.protocol === 'http:') localStorage['pigpen-exposing-known'] ??= '1';"
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


@pytest.fixture
def sit(address: str, tables: Tables, lending: Lending) -> Iterator[Sit]:
    """Begin a game and sit down, as a person in a hurry; in the end no script has failed."""

    def sit(
        asked: str,
        size: tuple[int, int] = DESKTOP,
        dark: bool = False,
        touch: bool = False,
        language: str = "en",
        calm: bool = True,
        knows: bool = True,
        **settings: float,
    ) -> Page:
        first = KEPT % json.dumps(IN_A_HURRY | settings) + (KNOWN if knows else "")
        page = lending.page(Kind(touch=touch, language=language, first=first), size, dark, calm)
        page.goto(f"{address}/tests/new?{asked}")
        page.wait_for_selector("person-table .pick", state="visible" if knows else "attached")
        return page

    yield sit
    tables.end()
    assert lending.logged(lambda logged: logged.errors) == []
