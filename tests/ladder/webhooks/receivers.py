"""Receivers of webhooks on this machine, which answer as they are told."""

from __future__ import annotations

import socket
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from standardwebhooks import Webhook

from tests.waiting import PATIENCE

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterator


@dataclass(frozen=True)
class Arrival:
    """A request that has come."""

    path: str
    headers: dict[str, str]
    """With small letters."""
    body: str

    @property
    def key(self) -> str:
        """The key that names the message."""
        return self.headers["webhook-id"]

    def verified(self, secret: str) -> Any:
        """The message, if its signature is right."""
        return Webhook(secret).verify(self.body, self.headers)


@dataclass
class Receiver:
    """Messages that a receiver has got, and its answers."""

    url: str
    arrivals: Queue[Arrival] = field(default_factory=Queue)
    answers: list[int] = field(default_factory=list)
    """The statuses of the next answers; after them 204."""
    may_answer: Event = field(default_factory=Event)
    """Cleared: requests wait."""

    def next(self) -> Arrival:
        """Wait for the next request."""
        return self.arrivals.get(timeout=PATIENCE)


@contextmanager
def receiver(tls: ssl.SSLContext | None = None, port: int = 0) -> Iterator[Receiver]:
    """A receiver that notes what comes, at a free port or a given one."""
    found = Receiver("")
    found.may_answer.set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            headers = {name.lower(): value for name, value in self.headers.items()}
            found.arrivals.put(Arrival(self.path, headers, body))
            found.may_answer.wait(PATIENCE)
            with suppress(OSError):  # who asked may have ended
                self.send_response(found.answers.pop(0) if found.answers else 204)
                self.send_header("location", "/another")
                self.end_headers()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    found.url = f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}/hook?room=7"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield found
    finally:
        found.may_answer.set()
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def odd_receiver(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """A receiver that does what it likes with a connection, whose request it has read; gives its address."""

    def serve() -> None:
        with suppress(OSError):  # it is closed
            while True:
                connection, _ = server.accept()
                with connection, suppress(OSError):
                    request = b""
                    # A close with something unread would reset the connection.
                    while not request.endswith(b"}") and (part := connection.recv(65536)):
                        request += part
                    answer(connection)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
