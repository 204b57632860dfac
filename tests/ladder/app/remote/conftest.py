"""Servers that answer as they are told to, and remember what they were asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

Reply = tuple[int, dict[str, str], bytes]
"""Status, headers, body."""


@dataclass
class ScriptedServer:
    """A server."""

    address: str
    asked: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)
    """Method, path, headers with small letters, body."""
    replies: list[Reply | None] = field(default_factory=list)
    """In order; the last one again and again. None: the connection is closed without an answer."""


@contextmanager
def telling(*replies: Reply | None) -> Iterator[ScriptedServer]:
    """A server with these replies, on a port of its own."""

    def answer(handler: BaseHTTPRequestHandler, method: str, body: bytes) -> Reply | None:
        headers = {name.lower(): value for name, value in handler.headers.items()}
        scripted.asked.append((method, handler.path, headers, body))
        return scripted.replies.pop(0) if len(scripted.replies) > 1 else scripted.replies[0]

    scripted = ScriptedServer("", replies=list(replies))
    with _served(answer) as scripted.address:
        yield scripted


Answer = Callable[[BaseHTTPRequestHandler, str, bytes], tuple[int, dict[str, Any]] | None]


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    """A server that answers with values as JSON, and with refusals as problem documents; gives its address."""

    def reply(handler: BaseHTTPRequestHandler, method: str, body: bytes) -> Reply | None:
        found = answer(handler, method, body)
        if found is None:
            return None
        kind = "application/problem+json" if found[0] >= 400 else "application/json"
        return found[0], {"Content-Type": kind}, json.dumps(found[1]).encode()

    with _served(reply) as address:
        yield address


@contextmanager
def _served(answer: Callable[[BaseHTTPRequestHandler, str, bytes], Reply | None]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            reply = answer(self, self.command, body)
            self.close_connection = True
            if reply is None:
                return
            status, headers, body = reply
            self.send_response(status)
            for name, value in ({"Content-Length": str(len(body)), "Connection": "close"} | headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PATCH = do_DELETE = _any  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """A client that has seen enough goes away."""

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def waits() -> list[float]:
    """The seconds that a client would have waited."""
    return []


@pytest.fixture
def wait(waits: list[float]) -> Callable[[float], None]:
    return waits.append
