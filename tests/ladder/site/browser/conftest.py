"""A small ladder's site, served for real, and one browser that looks at it."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx
import pytest
import uvicorn

from ladder.settings.settings import load_settings
from ladder.site.application import make_app
from pigpen.rules import PRESETS
from tests.ladder.ladders import played
from tests.ladder.recorded_ladders import new_ladder, packed, recorded_match
from tests.ladder.site.browser.chromium import chromium
from tests.referee.bots import moon_lines, showy_seats
from tests.referee.recorded import faulty_seats, lines_with_a_person, match_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

    from referee.records.lines import AnyLine

SEED = bytes(range(32)).hex()
PATIENCE_MS = 20_000
DESKTOP, PHONE = (1280, 900), (360, 740)


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
    """One of each variant, `boards:1`, with all kinds of steps; the last one is `deals:3` with a moon."""
    long: bytes
    """The record of a match of 40 deals, as a file."""


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    settings = load_settings(data_dir=tmp_path_factory.mktemp("site"))
    ladder = new_ladder(settings)
    showy = {name: recorded_match(ladder, match_lines(name, "boards:1", showy_seats), SEED) for name in PRESETS}
    matches = {
        "gongzhu": recorded_match(ladder, played("gongzhu")),
        "faulty": recorded_match(ladder, match_lines("hearts", "boards:1", faulty_seats), SEED),
        "sale": showy["gongzhu-sale"],
    }
    presets = (*showy.values(), recorded_match(ladder, moon_lines(), "4"))
    long = packed(match_lines("gongzhu", "deals:40", showy_seats))
    server = uvicorn.Server(uvicorn.Config(make_app(ladder), port=0, log_config=None, access_log=False, ws="none"))
    up = threading.Event()
    started = server.startup

    async def startup(sockets: list[object] | None = None) -> None:
        await started(sockets)  # type: ignore[arg-type]
        up.set()

    server.startup = startup  # type: ignore[method-assign, assignment]
    thread = threading.Thread(target=server.run)
    thread.start()
    assert up.wait(30)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield Served(f"http://127.0.0.1:{port}", **matches, presets=presets, long=long)
    server.should_exit = True
    thread.join()
    ladder.database.close()


@pytest.fixture(scope="session")
def person_lines() -> list[AnyLine]:
    """A match with a person who is away from its fifth decision on; played before there is a browser."""
    return lines_with_a_person()


@pytest.fixture(scope="session")
def api(site: Served) -> Iterator[httpx.Client]:
    """What a program reads of the site."""
    with httpx.Client(base_url=f"{site.url}/api/v1") as client:
        yield client


@pytest.fixture(scope="module")
def browser(site: Served, person_lines: list[AnyLine]) -> Iterator[Browser]:
    """
    Debian's Chromium; for one module only, because as long as it is there this thread has a running event loop.

    So what plays matches comes before it.
    """
    with chromium() as browser:
        yield browser


@pytest.fixture
def open_page(browser: Browser, site: Served) -> Iterator[Callable[..., Page]]:
    """Open a page of the site; in the end no script has failed, and nothing came from elsewhere."""
    wrong: list[str] = []
    contexts = []

    def open_page(path: str, size: tuple[int, int] = DESKTOP, script: bool = True, dark: bool = False) -> Page:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            java_script_enabled=script,
            color_scheme="dark" if dark else "light",
            accept_downloads=True,
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on("request", lambda asked: None if asked.url.startswith((site.url, "blob:")) else wrong.append(asked.url))
        page.goto(site.url + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []
