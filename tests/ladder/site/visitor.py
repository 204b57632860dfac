"""A visitor of a site in this process, and ladders to look at."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import httpx

from ladder.app.event import holding
from ladder.app.ladder import Ladder
from ladder.serving.application import make_app
from ladder.settings.settings import load_settings
from ladder.site.server.headers import HEADERS
from ladder.store import models
from ladder.values.accounts import LOCAL
from pigpen.rules import PRESETS
from referee.records.file import RecordWriter
from tests.ladder import ladders, shown
from tests.ladder.app.dataset.offers import offer
from tests.ladder.app.event_ladders import FILE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import Self

    from ladder.app.live_hub import LiveHub
    from ladder.settings.settings import Settings

BASE = "http://site.test"
PROBLEM = "application/problem+json"
VISITS = ("/", "/new")
"""Pages that remember when a browser was here."""
MATCHES = 12
"""Of the small ladder; the record of the first one is gone, and one more waits, one is being played."""


class Outline(HTMLParser):
    """The elements of a page, with their attributes, and its links."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.addresses: set[str] = set()
        self.inline: list[str] = []
        """Parts of the page that the policy of the site forbids."""

    @classmethod
    def of(cls, text: str) -> Self:
        """Read a page."""
        outline = cls()
        outline.feed(text)
        return outline

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See the standard library."""
        given = dict(attrs)
        self.elements.add(tag)
        addresses = {value or "" for name, value in attrs if name in ("href", "src", "action", "formaction")}
        self.addresses |= addresses
        if tag == "style" or (tag == "script" and not given.get("src") and given.get("type") != "application/json"):
            self.inline.append(tag)
        self.inline += [name for name in given if name == "style" or name.startswith("on")]
        self.inline += [each for each in addresses if each.partition(":")[0].strip().lower() in ("javascript", "data")]


class Visitor:
    """Asks a site in this process; a task for each request, as a server has it."""

    def __init__(self, ladder: Ladder, hub: LiveHub | None = None) -> None:
        self.ladder = ladder
        self.app = make_app(ladder, hub)

    def get(self, path: str, method: str = "GET", **headers: str) -> httpx.Response:
        """Ask for a path; headers have ``_`` for ``-``. What every response must have is checked."""
        return self.get_all([path], method, **headers)[0]

    def get_all(self, paths: Sequence[str], method: str = "GET", **headers: str) -> list[httpx.Response]:
        """Ask for several paths at once."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return asyncio.run(self._get_all(paths, method, named))

    def page(self, path: str, **headers: str) -> str:
        """The text of a page that is there, and has nothing inline."""
        response = self.get(path, **headers)
        assert response.status_code == 200, f"{path}: {response.text}"
        assert response.headers["content-type"] == "text/html; charset=utf-8"
        assert Outline.of(response.text).inline == []
        return response.text

    def value(self, path: str) -> Any:
        """Give the API's answer, without its prefix in *path*."""
        response = self.get(f"/api/v1{path}")
        assert (response.status_code, response.headers["content-type"]) == (200, "application/json"), response.text
        return response.json()

    def problem(self, path: str, status: int) -> str:
        """The sentence with which the API refuses."""
        response = self.get(path)
        assert (response.status_code, response.headers["content-type"]) == (status, PROBLEM), response.text
        document = response.json()
        assert document.keys() == {"type", "title", "status", "detail"}
        assert document["status"] == status
        return str(document["detail"])

    async def _get_all(self, paths: Sequence[str], method: str, headers: dict[str, str]) -> list[httpx.Response]:
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=BASE) as client:
            responses = await asyncio.gather(*(client.request(method, path, headers=headers) for path in paths))
        for response in responses:
            assert {name: response.headers.get(name) for name in HEADERS} == HEADERS, response.url
            assert "set-cookie" not in response.headers or "lang=" in str(response.url) or response.url.path in VISITS
        return responses


@contextmanager
def small_site(folder: Path, settings: Settings | None = None) -> Iterator[Visitor]:
    """A site of a ladder with some matches, an event `cup` that is open, and a data set; see `MATCHES`."""
    with Ladder.open(settings or load_settings(data_dir=folder), create=True) as ladder:
        with ladder.database.write() as session:
            versions = shown.a_ladder(session, matches=MATCHES)
            four = [*versions.values()][:4]
            session.get_one(models.StoredMatch, 1).record_kept = False
            ladders.queue(session, four, "gongzhu")
            ladders.lease(session, ladders.queue(session, four, "gongzhu"))
        for number in range(1, MATCHES):
            keep_record(ladder, number + 1, str(number % 10), sinner=2 if number == MATCHES - 1 else None)
        holding.open_event(ladder, LOCAL, "cup", FILE.format(show="live"), PRESETS["gongzhu"])
        offer(ladder.settings.data_dir)
        ladders.seem_to_play_tables(ladder)
        yield Visitor(ladder)


@contextmanager
def empty_site(folder: Path) -> Iterator[Visitor]:
    """A site of a ladder without a bot."""
    with Ladder.open(load_settings(data_dir=folder), create=True) as ladder:
        yield Visitor(ladder)


def keep_record(ladder: Ladder, match: int, seed: str, sinner: int | None, variant: str = "gongzhu") -> None:
    """Write the record of a match that `shown.play` has recorded."""
    path = ladder.files.record(match, 1)
    path.parent.mkdir(parents=True, exist_ok=True)
    with RecordWriter.create(path) as writer:
        for line in ladders.played(variant, seed, sinner):
            writer.write(line)
