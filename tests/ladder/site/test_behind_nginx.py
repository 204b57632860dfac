"""The site behind a proxy with TLS: Debian's nginx, with the file that docs/deploy.md shows."""

from __future__ import annotations

import json
import random
import ssl
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx
import pytest

from ladder.app.event_log import event_log
from ladder.results.live_folder import LiveFolder
from ladder.runner.live_writer import LiveWriter
from ladder.settings.settings import load_settings
from pigpen.rules import PRESETS
from tests.ladder.accounts import add_person, token_of
from tests.ladder.site.certificates import HOST, make_pair
from tests.ladder.site.nginx import nginx_before
from tests.ladder.site.serving import served
from tests.ladder.site.visitor import MATCHES, small_site
from tests.ladder.worker.live_events import watched
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.app.ladder import Ladder

pytestmark = pytest.mark.nginx
RUNNING = MATCHES + 2
"""The match of the small site that is being played."""
SENT, _ = watched(PRESETS["gongzhu"], "boards:1")
VISITOR = "203.0.113.7"


@dataclass(frozen=True)
class Place:
    """A site behind a proxy."""

    ladder: Ladder
    client: httpx.Client
    """Comes by HTTPS, by the proxy, and asks for `HOST`."""
    port: int
    """The site's own."""
    plain: int
    """The proxy's for HTTP."""

    def logged(self, path: str) -> list[str]:
        """The addresses of those who asked for a path, by the site's log, which is written after the answer."""
        log = self.ladder.settings.data_dir / "logs" / "site.jsonl"
        while not (found := _clients(log.read_text(), path)):
            time.sleep(0.02)
        return found


def _clients(log: str, path: str) -> list[str]:
    lines = map(json.loads, log.rpartition("\n")[0].splitlines())
    return [line["client"] for line in lines if line.get("path") == path]


@pytest.fixture(scope="module", params=["127.0.0.1"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """By default the site knows the proxy."""
    folder = tmp_path_factory.mktemp("behind")
    pair = make_pair(folder)
    context = ssl.create_default_context(cafile=str(pair.certificate))
    settings = load_settings(data_dir=folder / "data", site_proxy=request.param)
    with (
        small_site(folder / "data", settings) as site,
        event_log(site.ladder, "site"),
        served(site.ladder) as port,
        nginx_before(port, pair) as (secure, plain),
        httpx.Client(
            base_url=f"https://127.0.0.1:{secure}", verify=context, headers={"Host": HOST}, timeout=PATIENCE
        ) as client,
    ):
        yield Place(site.ladder, client, port, plain)


def test_pages_come_through_with_what_https_needs(place: Place) -> None:
    home = place.client.get("/")
    assert home.status_code == 200
    assert home.headers["strict-transport-security"] == "max-age=31536000"
    assert place.client.get("/help?lang=zh").headers["set-cookie"].endswith("; Secure")


def test_links_with_an_address_lead_back_to_https(place: Place) -> None:
    moved = place.client.get("/v/gongzhu/")
    assert (moved.status_code, moved.headers["location"]) == (307, "/v/gongzhu")
    assert f'href="https://{HOST}/' in place.client.get("/v/gongzhu/feed.atom").text


def test_who_comes_by_http_is_sent_to_https(place: Place) -> None:
    moved = httpx.get(f"http://127.0.0.1:{place.plain}/b?q=a", headers={"Host": HOST}, timeout=PATIENCE)
    assert (moved.status_code, moved.headers["location"]) == (301, f"https://{HOST}/b?q=a")


def test_the_log_has_the_visitors_address_and_not_what_the_visitor_says_it_is(place: Place) -> None:
    place.client.get("/?visitor", headers={"X-Forwarded-For": VISITOR, "X-Forwarded-Proto": "http"})
    assert set(place.logged("/")) == {"127.0.0.1"}


def test_the_proxy_is_believed(place: Place) -> None:
    httpx.get(f"http://127.0.0.1:{place.port}/v", headers={"X-Forwarded-For": VISITOR}, timeout=PATIENCE)
    assert place.logged("/v") == [VISITOR]


@pytest.mark.parametrize("place", ["10.0.0.0/8", ""], indirect=True)
def test_nobody_else_is(place: Place) -> None:
    headers = {"X-Forwarded-For": VISITOR, "X-Forwarded-Proto": "https"}
    answer = httpx.get(f"http://127.0.0.1:{place.port}/v", headers=headers, timeout=PATIENCE)
    assert place.logged("/v") == ["127.0.0.1"]
    assert "strict-transport-security" not in answer.headers


def test_streams_come_through_as_they_happen(place: Place) -> None:
    writer = LiveWriter(LiveFolder(place.ladder.settings.data_dir))
    writer.begin(RUNNING, 1)
    with place.client.stream("GET", f"/api/v1/live/{RUNNING}/stream", timeout=PATIENCE) as stream:
        lines = stream.iter_lines()
        for number, line in enumerate(SENT[:3], 1):  # each is read before the next one is written
            writer.append(RUNNING, 1, line)
            assert f"id: 1-{number}" in lines
    writer.end(RUNNING, 1, "done")
    writer.close()


def test_large_bodies_come_through_and_too_large_ones_do_not(place: Place) -> None:
    add_person(place.ladder, "ada")
    place.client.headers["Authorization"] = f"Bearer {token_of(place.ladder, 'ada')}"
    content = random.Random(1).randbytes(5_000_000)
    upload = place.client.post("/api/v1/uploads", json={"bytes": len(content)}).json()["id"]
    for start, size in ((0, 4_000_000), (4_000_000, 1_000_000)):
        sent = place.client.patch(
            f"/api/v1/uploads/{upload}", content=content[start : start + size], headers={"Upload-Offset": str(start)}
        )
        assert (sent.status_code, sent.json()["offset"]) == (200, start + size)
    assert place.client.post("/api/v1/uploads", content=b"x" * 1_000_000).status_code == 413
