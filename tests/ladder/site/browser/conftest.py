"""A small ladder's site, served for real, and one browser that looks at it."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import uvicorn

from ladder.serving.application import make_app
from ladder.settings.settings import load_settings
from pigpen.rules import PRESETS
from tests.ladder.app.dataset.offers import offer
from tests.ladder.ladders import new_ladder, packed, played, recorded_match, seem_to_play_tables
from tests.ladder.site.browser.pages import DESKTOP, Kind, SharedPages, without_loop
from tests.referee.bots import moon_lines, showy_seats
from tests.referee.recorded import faulty_seats, lines_with_a_person, match_lines
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Page

    from ladder.app.ladder import Ladder
    from referee.records.lines import AnyLine
    from tests.ladder.site.browser.pages import Lending, Pages

SEED = bytes(range(32)).hex()


@dataclass(frozen=True)
class Served:
    """A site that is up, and the numbers of its matches."""

    url: str
    gongzhu: int
    """Of sample bots, `boards:1`."""
    faulty: int
    """Hearts, `boards:1`, with faults of three bots."""
    sale: int
    """Gong Zhu with face-down sales, `boards:1`."""
    presets: tuple[int, ...]
    """One of each variant, with all kinds of steps; the last one is `deals:3` with a moon."""
    long: bytes
    """The record of a match of many deals, as a file."""


def _recorded(ladder: Ladder) -> dict[str, Any]:
    """Fill the ladder."""
    forms = {name: "boards:1" if name == "gongzhu-sale" else "deals:2" for name in PRESETS}
    showy = {name: recorded_match(ladder, match_lines(name, form, showy_seats), SEED) for name, form in forms.items()}
    return {
        "gongzhu": recorded_match(ladder, played("gongzhu")),
        "faulty": recorded_match(ladder, match_lines("hearts", "boards:1", faulty_seats), SEED),
        "sale": showy["gongzhu-sale"],
        "presets": (*showy.values(), recorded_match(ladder, moon_lines(), "4")),
        "long": packed(match_lines("gongzhu", "deals:15", showy_seats)),
    }


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    settings = load_settings(data_dir=tmp_path_factory.mktemp("site"))
    ladder = new_ladder(settings)
    seem_to_play_tables(ladder)
    offer(settings.data_dir)
    recorded = without_loop(_recorded, ladder)
    server = uvicorn.Server(uvicorn.Config(make_app(ladder), port=0, log_config=None, access_log=False, ws="none"))
    up = threading.Event()
    started = server.startup

    async def startup(sockets: list[object] | None = None) -> None:
        await started(sockets)  # type: ignore[arg-type]
        up.set()

    server.startup = startup  # type: ignore[method-assign, assignment]
    thread = threading.Thread(target=server.run)
    thread.start()
    assert up.wait(PATIENCE)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield Served(f"http://127.0.0.1:{port}", **recorded)
    server.should_exit = True
    thread.join()
    ladder.database.close()


@pytest.fixture(scope="session")
def person_lines() -> list[AnyLine]:
    """A match with a person who is away from its fifth decision on."""
    return without_loop(lines_with_a_person)


@pytest.fixture(scope="session")
def api(site: Served) -> Iterator[httpx.Client]:
    """Yield a client with which a program reads the site."""
    with httpx.Client(base_url=f"{site.url}/api/v1", timeout=PATIENCE) as client:
        yield client


SHARED = SharedPages()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """End the browser after the last test of this folder: the thread of other tests has no running event loop."""
    yield
    if nextitem is None or nextitem.path.parent != item.path.parent:
        SHARED.close()


@pytest.fixture
def pages() -> Pages:
    """The pages of Debian's Chromium."""
    return SHARED.open()


@pytest.fixture
def lending(pages: Pages) -> Iterator[Lending]:
    """Some of them, which are wiped in the end."""
    with pages.lending() as lending:
        yield lending


@pytest.fixture
def open_page(site: Served, lending: Lending) -> Iterator[Callable[..., Page]]:
    """Open a page of the site; in the end no script has failed, and nothing came from another address."""

    def open_page(path: str, size: tuple[int, int] = DESKTOP, script: bool = True, dark: bool = False) -> Page:
        page = lending.page(Kind(script), size, dark)
        page.goto(site.url + path)
        return page

    yield open_page
    assert lending.logged(lambda logged: [*logged.errors, *logged.complaints]) == []
    asked = lending.logged(lambda logged: logged.requests)
    assert [each for each in asked if not each.startswith((site.url, "blob:"))] == []
