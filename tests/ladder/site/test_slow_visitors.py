"""Visitors who hold a connection without using it, or send more than they may, really connected."""

from __future__ import annotations

import resource
import select
import socket
import ssl
import threading
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
import uvicorn

from ladder.app.ladder import Ladder
from ladder.results.live_folder import LiveFolder
from ladder.runner.live_writer import LiveWriter
from ladder.serving.application import PAGES, PERSONAL_API, PUBLIC_API
from ladder.settings.settings import load_settings
from ladder.site.server import routing
from ladder.site.server.listening import Tls
from ladder.site.server.routing import BUSY, BUSY_SECONDS, THREADS, SharedRoute
from ladder.site.server.visitor_connection import (
    MAX_CONNECTIONS,
    MIN_CONNECTIONS,
    OTHER_FILES,
    TimeoutConnection,
    Timeouts,
    max_connections,
)
from pigpen.rules import PRESETS
from tests.ladder.site.certificates import make_pair
from tests.ladder.site.serving import running, served
from tests.ladder.site.visitor import MATCHES, small_site
from tests.ladder.worker.live_events import watched
from tests.waiting import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import Receive, Scope, Send

SOON = 0.2
"""Seconds; each test waits until the site acts, however long that takes."""
LATER, IN_TIME = 5.0, pytest.mark.parametrize("port", [60.0], indirect=True)
"""For who is to be cut off after something was sent in time, and for who is not to be cut off."""
ASK = b"GET /healthz HTTP/1.1\r\nHost: site.test\r\n"
LONG = 50_000_000
"""More bytes than the system keeps for who does not read."""
RUNNING = MATCHES + 2
"""The match of the small site that is being played."""
SENT, _ = watched(PRESETS["gongzhu"], "boards:1")


@pytest.fixture
def port(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[int]:
    """A site that gives little time for the heads of requests, or as many seconds as the test's parameter says."""
    with (
        Ladder.open(load_settings(data_dir=tmp_path), create=True) as ladder,
        served(ladder, timeouts=Timeouts(head=getattr(request, "param", SOON))) as port,
    ):
        yield port


@pytest.fixture
def client(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        yield client


def rest(client: socket.socket) -> bytes:
    """Read all that the site sends until it closes the connection, in any way."""
    parts = []
    try:
        while part := client.recv(65536):
            parts.append(part)
    except ConnectionError:
        pass
    return b"".join(parts)


def drip(client: socket.socket, piece: bytes) -> None:
    """Send pieces, each long before it could be taken for the last one, until the site has closed the connection."""
    client.settimeout(SOON / 10)
    while True:
        try:
            client.sendall(piece)
            if client.recv(65536) == b"":
                return
        except TimeoutError:
            continue
        except ConnectionError:
            return


def test_who_asks_for_nothing_is_cut_off(client: socket.socket) -> None:
    assert rest(client) == b""


@pytest.mark.parametrize("sent", [b"G", ASK, ASK + b"X-Slow: "])
def test_who_never_ends_the_head_of_a_request_is_cut_off(client: socket.socket, sent: bytes) -> None:
    client.sendall(sent)
    assert rest(client) == b""


def test_dripping_does_not_help(client: socket.socket) -> None:
    client.sendall(ASK)
    drip(client, b"X: 1\r\n")


@pytest.mark.parametrize("port", [LATER], indirect=True)
def test_nor_does_a_body_that_goes_on_after_the_answer(client: socket.socket) -> None:
    client.sendall(ASK + b"Transfer-Encoding: chunked\r\n\r\n")
    assert client.recv(65536).startswith(b"HTTP/1.1 200 ")
    drip(client, b"1\r\nx\r\n")


def test_who_has_a_stream_open_is_not_cut_off(tmp_path: Path) -> None:
    with (
        small_site(tmp_path) as site,
        served(site.ladder, timeouts=Timeouts(head=LATER)) as port,
        closing(LiveWriter(LiveFolder(tmp_path))) as writer,
        httpx.stream("GET", f"http://127.0.0.1:{port}/api/v1/live/{RUNNING}/stream", timeout=PATIENCE) as stream,
    ):
        writer.begin(RUNNING, 1)
        lines = stream.iter_lines()
        assert next(lines).startswith("retry: ")
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as later:
            assert rest(later) == b""  # a connection that was opened later is cut off by now
        writer.append(RUNNING, 1, SENT[0])
        assert "id: 1-1" in lines


def test_who_does_not_read_is_cut_off() -> None:
    lost = threading.Event()

    async def much(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * LONG, "more_body": True})
        while (await receive())["type"] != "http.disconnect":
            pass
        lost.set()

    impatient = TimeoutConnection.with_timeouts(Timeouts(reader=SOON))
    config = uvicorn.Config(much, http=impatient, lifespan="off", log_config=None)
    with (
        running(uvicorn.Server(config)) as port,
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client,
    ):
        client.sendall(ASK + b"\r\n")
        assert lost.wait(PATIENCE)
        assert len(rest(client)) < LONG


@IN_TIME
@pytest.mark.parametrize("length", [17_000, 100_000])
def test_a_head_that_is_too_long_is_refused(client: socket.socket, length: int) -> None:
    client.sendall(ASK + b"X-Long: " + b"x" * length)
    assert rest(client).startswith(b"HTTP/1.1 400 ")


@IN_TIME
def test_also_when_it_comes_at_once(port: int) -> None:
    asked = httpx.get(f"http://127.0.0.1:{port}/healthz", headers={"X-Long": "x" * 40_000}, timeout=PATIENCE)
    assert (asked.status_code, asked.headers["connection"]) in [(431, "close"), (400, "close")]


OPEN_AT_ONCE = 4
"""Connections of a site in the tests below."""
OTHER_NETWORK = "127.0.7.7"
"""An address of the loopback that is not near the usual one."""


@contextmanager
def crowded(folder: Path, tls: Tls | None = None, proxy: str = "") -> Iterator[int]:
    """A site that has few connections, and waits long for who is slow; its port."""
    with (
        Ladder.open(load_settings(data_dir=folder / "data", site_proxy=proxy), create=True) as ladder,
        served(ladder, tls, Timeouts(head=2 * PATIENCE), OPEN_AT_ONCE) as port,
    ):
        yield port


def connected(port: int, sent: bytes = ASK, source: str = "127.0.0.1") -> socket.socket:
    client = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE, source_address=(source, 0))
    client.sendall(sent)
    return client


def is_answered(port: int, source: str) -> bool:
    with connected(port, ASK + b"\r\n", source) as client:
        return client.recv(12) == b"HTTP/1.1 200"


@pytest.mark.parametrize("number", [OPEN_AT_ONCE - 1, OPEN_AT_ONCE, OPEN_AT_ONCE + 1, 5 * OPEN_AT_ONCE])
@pytest.mark.parametrize("source", [OTHER_NETWORK, "127.0.0.1"])
def test_who_opens_very_many_connections_shuts_nobody_out(tmp_path: Path, number: int, source: str) -> None:
    with crowded(tmp_path) as port, ExitStack() as held:
        idle = [held.enter_context(connected(port)) for _ in range(number)]
        assert all(is_answered(port, source) for _ in range(3))
        if number > OPEN_AT_ONCE:
            assert rest(idle[0]) == b"", "the one that was idle for longest is closed"


def test_requests_under_way_of_a_visitor_with_fewer_connections_stay(tmp_path: Path) -> None:
    with crowded(tmp_path) as port, ExitStack() as held:
        slow = b"POST /logout HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"
        honest = held.enter_context(connected(port, slow, OTHER_NETWORK))
        for _ in range(3 * OPEN_AT_ONCE):
            held.enter_context(connected(port, slow))
        assert is_answered(port, "127.0.9.9"), "who has the most loses the newest of its requests"
        honest.sendall(b"pigpen=no")
        assert honest.recv(9) == b"HTTP/1.1 "


def test_handshakes_that_are_never_ended_shut_nobody_out_either(tmp_path: Path) -> None:
    pair = make_pair(tmp_path)
    trusted = ssl.create_default_context(cafile=str(pair.certificate))
    tls = Tls.of(load_settings(), (pair.certificate, pair.key))
    with crowded(tmp_path, tls) as port, ExitStack() as held:
        idle = [held.enter_context(connected(port, b"")) for _ in range(3 * OPEN_AT_ONCE)]
        transport = httpx.HTTPTransport(verify=trusted, local_address=OTHER_NETWORK)
        with httpx.Client(transport=transport, timeout=PATIENCE) as client:
            assert client.get(f"https://127.0.0.1:{port}/healthz").status_code == 200
        assert rest(idle[0]) == b""


def test_the_connections_of_a_proxy_are_its_own_to_limit(tmp_path: Path) -> None:
    with crowded(tmp_path, proxy="127.0.0.0/24") as port, ExitStack() as held:
        of_proxy = [held.enter_context(connected(port)) for _ in range(3 * OPEN_AT_ONCE)]
        assert is_answered(port, OTHER_NETWORK)
        of_proxy[0].sendall(b"\r\n")
        assert of_proxy[0].recv(12) == b"HTTP/1.1 200"


def test_a_process_has_connections_only_as_far_as_it_may_open_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    number = max_connections()
    assert MIN_CONNECTIONS <= number <= MAX_CONNECTIONS
    raised, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert raised >= min(hard, number + OTHER_FILES)
    assert raised >= soft


SHARE = THREADS // 2
"""Threads that addresses near each other have at most."""
SLOW_PAGE = b"GET /api/v1/events/cup HTTP/1.1\r\nHost: site.test\r\n\r\n"


class SlowPage:
    """A page that takes until the test is over."""

    def __init__(self) -> None:
        self.begun: list[object] = []
        self.may_end = threading.Event()

    def make(self, *values: object, **_: object) -> object:
        self.begun.append(values)
        assert self.may_end.wait(2 * PATIENCE)
        return None


@contextmanager
def slow_site(folder: Path, monkeypatch: pytest.MonkeyPatch, max_waiting: int) -> Iterator[tuple[int, SlowPage]]:
    """A site with a slow page, each request for which is another one; its port."""
    page = SlowPage()
    monkeypatch.setattr(routing, "MAX_WAITING", max_waiting)
    monkeypatch.setattr("ladder.site.api.events.revision", page.make)
    with small_site(folder) as site, served(site.ladder) as port:
        try:
            yield port, page
        finally:
            page.may_end.set()


@pytest.mark.parametrize("number", [SHARE - 1, SHARE, SHARE + 1, 4 * THREADS])
def test_who_asks_for_very_much_that_takes_long_shuts_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    with slow_site(tmp_path, monkeypatch, 4 * THREADS) as (port, page), ExitStack() as held:
        for _ in range(number):
            held.enter_context(connected(port, SLOW_PAGE))
        until(lambda: len(page.begun) >= min(number, SHARE))
        for path in ("/healthz", "/", "/there-is-no-such-page"):
            assert looked(port, path, OTHER_NETWORK).status_code in (200, 404)
        assert len(page.begun) == min(number, SHARE)


def looked(port: int, path: str, source: str) -> httpx.Response:
    with httpx.Client(transport=httpx.HTTPTransport(local_address=source), timeout=PATIENCE) as client:
        return client.get(f"http://127.0.0.1:{port}{path}")


def answered(clients: list[socket.socket]) -> list[socket.socket]:
    """List those to whom the site has sent something."""
    return select.select(clients, [], [], 0)[0]


@pytest.mark.parametrize("too_many", [-1, 0, 1, 5])
def test_more_than_may_wait_are_told_to_try_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, too_many: int
) -> None:
    max_waiting = 3
    with slow_site(tmp_path, monkeypatch, max_waiting) as (port, page), ExitStack() as held:
        asked = [held.enter_context(connected(port, SLOW_PAGE)) for _ in range(SHARE + max_waiting + too_many)]
        until(lambda: len(page.begun) == SHARE)
        refused = until(lambda: found if len(found := answered(asked)) >= too_many else None) if too_many > 0 else []
        assert len(refused) == max(0, too_many)
        for client in refused:
            head, _, body = client.recv(65536).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 503 ")
            assert f"retry-after: {BUSY_SECONDS:.0f}".encode() in head.lower()
            assert BUSY.encode() in body
            asked.remove(client)
        assert looked(port, "/", OTHER_NETWORK).status_code == 200
        page.may_end.set()
        assert [client.recv(12) for client in asked] == [b"HTTP/1.1 200"] * len(asked)


def test_no_function_of_the_site_takes_a_thread_without_a_turn() -> None:
    for router in (*PAGES, *PUBLIC_API, *PERSONAL_API):
        for route in router.routes:
            assert isinstance(route, SharedRoute)
            assert route.dependant.request_param_name, f"{route.path} does not say whose request it is"
    root = Path(routing.__file__).parents[3]
    rooms = ("ladder/site/accounts", "ladder/site/api", "ladder/site/pages", "ladder/people/pages")
    sources = {path.name: path.read_text() for room in rooms for path in (root / room).glob("*.py")}
    assert len(sources) > 20
    takers = {name: sources[name].count("to_thread") for name in sources if "to_thread" in sources[name]}
    assert takers == {"submissions.py": 2, "live.py": 1}, (
        "of a stream that is open: its visitor has a place among the streams"
    )
    assert not [name for name in sources if "run_in_threadpool" in sources[name]]


def test_the_page_of_limits_has_these_numbers() -> None:
    text = (Path(routing.__file__).parents[3] / "docs/deploy.md").read_text()
    assert f"half of the {THREADS} " in text
    assert f" more than {routing.MAX_WAITING:,}" in text
