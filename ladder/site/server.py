"""The web process."""

from __future__ import annotations

import os
import signal
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

from ladder.app.live_hub import LiveHub
from ladder.errors import UserError
from ladder.site.application import make_app

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.app.ladder import Ladder

USUAL_PORT = 8020
SHUTDOWN_SECONDS = 3
"""How long requests that are under way may take to end; streams of live events are told to."""


def serve(ladder: Ladder, listener: socket.socket, proxy: str = "") -> None:
    """
    Serve the site of a ladder until SIGINT or SIGTERM.

    Args:
        ladder: Open.
        listener: What `listen` gave.
        proxy: Addresses of proxies whose `X-Forwarded-…` are believed, with commas between; empty: nobody's.
    """
    hub = LiveHub(ladder)
    config = uvicorn.Config(
        make_app(ladder, hub),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(proxy),
        forwarded_allow_ips=proxy or None,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        lifespan="on",
    )
    _Server(config, hub).run([listener])


class _Server(uvicorn.Server):
    """Ends the streams of live events before it waits for requests to end; a signal is how it is ended, no failure."""

    def __init__(self, config: uvicorn.Config, hub: LiveHub) -> None:
        super().__init__(config)
        self._hub = hub

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """See uvicorn, which would raise the signal again when the site has ended."""
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """See uvicorn."""
        await self._hub.close()
        await super().shutdown(sockets)


def listen(host: str, port: int, usual_port: int = USUAL_PORT) -> socket.socket:
    """
    Begin to listen; what comes before `serve` waits.

    Args:
        host: The address to listen at.
        port: The port; 0: the usual one, or any other one that is free.
        usual_port: The usual one.

    Raises:
        UserError: If that cannot be.
    """
    for each in (port,) if port else (usual_port, 0):
        try:
            family = socket.getaddrinfo(host, each, type=socket.SOCK_STREAM)[0][0]
            listener = socket.create_server((host, each), family=family, backlog=1024)
            # For all connections: else the body of an answer waits 40 ms for the other side to confirm the headers.
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return listener
        except (OSError, UnicodeError) as error:
            reason = _reason(error)
    raise UserError(
        f"The site cannot listen at {host!r}, port {port or 'any'}: {reason}. Choose others with --host and --port."
    )


def _reason(error: OSError | UnicodeError) -> str:
    """The system's words: Python adds the address, which stands in our sentence."""
    number = getattr(error, "errno", None)
    if isinstance(error, socket.gaierror) or not isinstance(number, int):
        return str(getattr(error, "strerror", None) or "this is no address")
    return os.strerror(number)


def address_of(listener: socket.socket) -> str:
    """The address to type into a browser."""
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}/"
