"""The web process: it sleeps while nobody comes, and ends at once."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from contextlib import closing
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

import httpx

from ladder.app.ladder import Ladder
from ladder.serving import web_server
from ladder.serving.web_server import DatedState, make_server
from ladder.settings.settings import load_settings
from ladder.site.server.listening import listen
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


class Ticks:
    """Counts the wake-ups of a server; at each of them something may be done."""

    def __init__(self, server: web_server.SiteServer) -> None:
        self.count = 0
        self.first = asyncio.Event()
        self._tick = server.on_tick
        server.on_tick = self.tick  # type: ignore[method-assign]

    async def tick(self, counter: int) -> bool:
        self.count += 1
        self.first.set()
        return await self._tick(counter)


async def ended_by(end: object, tmp_path: Path) -> int:
    """Count the wakings of a server that is ended by a function, which is called when it waits."""
    assert callable(end)
    with Ladder.open(load_settings(data_dir=tmp_path), create=True) as ladder, closing(listen("127.0.0.1", 0)) as here:
        server = make_server(ladder)
        ticks = Ticks(server)
        async with asyncio.timeout(PATIENCE):
            serving = asyncio.ensure_future(server.serve([here]))
            await ticks.first.wait()
            async with httpx.AsyncClient(timeout=PATIENCE) as visitor:
                address = f"http://127.0.0.1:{here.getsockname()[1]}/api/v1/openapi.json"
                answer = await visitor.get(address)
            assert parsedate_to_datetime(answer.headers["date"])
            assert len(answer.headers.get_list("date")) == 1
            end(server)
            await serving
        return ticks.count


async def test_a_site_wakes_for_nothing_but_its_end_by_a_signal(tmp_path: Path) -> None:
    assert await ended_by(lambda _: os.kill(os.getpid(), signal.SIGTERM), tmp_path) == 2


async def test_a_site_ends_when_another_thread_says_so(tmp_path: Path) -> None:
    def end(server: web_server.SiteServer) -> None:
        thread = threading.Thread(target=lambda: setattr(server, "should_exit", True))
        thread.start()
        thread.join()

    assert await ended_by(end, tmp_path) == 2


def test_the_date_of_an_answer_is_that_of_its_second(monkeypatch: pytest.MonkeyPatch) -> None:
    state, now = DatedState(), [1_800_000_000.9]
    monkeypatch.setattr(web_server.time, "time", lambda: now[0])  # type: ignore[attr-defined]
    state.default_headers = [(b"x", b"y")]
    assert state.default_headers == [(b"date", b"Fri, 15 Jan 2027 08:00:00 GMT"), (b"x", b"y")]
    now[0] += 0.2
    assert state.default_headers == [(b"date", b"Fri, 15 Jan 2027 08:00:01 GMT"), (b"x", b"y")]
