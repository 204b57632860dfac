"""A ladder behind a proxy, and with a certificate of an authority of its own; both are real, on this machine."""

from __future__ import annotations

import errno
import os
import select
import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from ladder.app.ladder import Ladder
from ladder.serving.application import make_app
from ladder.settings.settings import load_settings
from tests.ladder.accounts import add_person, token_of
from tests.ladder.remote_site import log_in, served_app
from tests.ladder.site.certificates import HOST, make_pair
from tests.typed import Typed, typed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = HOST
"""No name server knows it; the proxy does."""


@dataclass
class Proxy:
    """A proxy, and what went through it."""

    address: str
    ports: dict[str, int]
    """Port on this machine of each host."""
    seen: list[str] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)


@contextmanager
def proxy(**ports: int) -> Iterator[Proxy]:
    class Handler(BaseHTTPRequestHandler):
        def do_CONNECT(self) -> None:
            host = self.path.partition(":")[0]
            found.seen.append(f"CONNECT {self.path}")
            found.headers.append(str(self.headers))
            if host not in found.ports:
                self.send_error(403)
                return
            with socket.create_connection(("127.0.0.1", found.ports[host])) as there:
                self.send_response(200)
                self.end_headers()
                pump(self.connection, there)

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            found.seen.append(f"GET {self.path}")
            with socket.create_connection(("127.0.0.1", found.ports[str(parts.hostname)])) as there:
                head = f"GET {parts.path}?{parts.query} HTTP/1.0\r\nHost: {parts.netloc}\r\n"
                kept = ("authorization", "accept")
                head += "".join(f"{name}: {value}\r\n" for name, value in self.headers.items() if name.lower() in kept)
                there.sendall(f"{head}\r\n".encode())
                while piece := there.recv(65536):
                    self.wfile.write(piece)

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        found = Proxy(f"http://127.0.0.1:{server.server_address[1]}", {NAME: ports["site"]} if ports else {})
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield found
        finally:
            server.shutdown()
            thread.join()


def pump(one: socket.socket, other: socket.socket) -> None:
    """Carry bytes in both directions until one side ends."""
    others = {one: other, other: one}
    while True:
        for ready in select.select(list(others), [], [])[0]:
            try:
                piece = ready.recv(65536)
            except OSError:
                return
            if not piece:
                return
            others[ready].sendall(piece)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for `NAME` and this machine that vouches for itself, and its key."""
    pair = make_pair(tmp_path_factory.mktemp("authority"))
    return pair.certificate, pair.key


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ladder]:
    with Ladder.open(load_settings(data_dir=tmp_path_factory.mktemp("remote")), create=True) as ladder:
        add_person(ladder, "ada")
        yield ladder


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those around the suite do not count."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"):
        monkeypatch.delenv(name, raising=False)


def whoami(ladder: Ladder, folder: Path, address: str, **variables: str) -> Typed:
    login = log_in(folder / "config", address, "ada", token_of(ladder, "ada"))
    return typed("whoami", folder=folder, **login, **variables)


@pytest.mark.parametrize("variable", ["REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"])
def test_an_authority_of_ones_own_is_named_by_the_usual_variables(
    ladder: Ladder, authority: tuple[Path, Path], tmp_path: Path, variable: str
) -> None:
    pem, key = authority
    with served_app(make_app(ladder), ssl_certfile=str(pem), ssl_keyfile=str(key)) as address:
        assert address.startswith("https://127.0.0.1:")
        done = whoami(ladder, tmp_path, address, **{variable: str(pem)})
        assert (done.code, done.err) == (0, "")
        assert f" ada (contestant) on {address}." in done.out

        done = whoami(ladder, tmp_path, address)
        assert (done.code, done.out, done.is_civil) == (3, "", True)
        assert done.err.startswith(f"pigpen: {address} cannot be trusted: ")
        assert "self-signed" in done.err
        assert "REQUESTS_CA_BUNDLE or SSL_CERT_FILE" in done.err

        done = whoami(ladder, tmp_path, address, **{variable: str(tmp_path / "nothing.pem")})
        assert (done.code, done.is_civil, "nothing.pem" in done.err) == (3, True, True)


def test_https_goes_through_a_proxy_that_sees_no_token(
    ladder: Ladder, authority: tuple[Path, Path], tmp_path: Path
) -> None:
    pem, key = authority
    with served_app(make_app(ladder), ssl_certfile=str(pem), ssl_keyfile=str(key)) as there:
        port = urlsplit(there).port
        assert port is not None
        with proxy(site=port) as through:
            variables = {"HTTPS_PROXY": through.address, "REQUESTS_CA_BUNDLE": str(pem)}
            done = whoami(ladder, tmp_path, f"https://{NAME}", **variables)
            assert (done.code, done.err) == (0, "")
            assert through.seen == [f"CONNECT {NAME}:443"]
            assert "pgp_" not in "".join(through.headers)

            done = whoami(ladder, tmp_path, f"https://{NAME}", **variables, NO_PROXY=NAME)
            assert (done.code, through.seen[1:]) == (3, [])
            assert f" https://{NAME} does not answer: " in done.err

            assert whoami(ladder, tmp_path, there, **variables).code == 0  # this machine is asked directly
            assert through.seen[1:] == []


def test_http_goes_through_a_proxy_where_somebody_allowed_it(ladder: Ladder, tmp_path: Path) -> None:
    with served_app(make_app(ladder)) as there:
        port = urlsplit(there).port
        assert port is not None
        with proxy(site=port) as through:
            done = whoami(ladder, tmp_path, f"http://{NAME}", HTTP_PROXY=through.address)
            assert (done.code, done.err) == (0, "")
            assert through.seen == [f"GET http://{NAME}/api/v1/me"]


def test_a_proxy_that_refuses_is_said_in_one_sentence(ladder: Ladder, tmp_path: Path) -> None:
    with proxy() as through:
        done = whoami(ladder, tmp_path, f"https://{NAME}", HTTPS_PROXY=through.address)
        assert (done.code, done.out, done.is_civil) == (3, "", True)
        assert f" proxy for https://{NAME} refuses " in done.err
        assert done.err.endswith(": 403 Forbidden.\n")
    gone = whoami(ladder, tmp_path, f"https://{NAME}", HTTPS_PROXY="http://127.0.0.1:9")
    assert (gone.code, gone.is_civil) == (3, True)
    assert f" proxy for https://{NAME} refuses " in gone.err
    assert gone.err.endswith(f": {os.strerror(errno.ECONNREFUSED)}.\n")
