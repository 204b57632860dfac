"""The web process."""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from contextlib import contextmanager, suppress
from email.utils import formatdate
from functools import partial
from typing import TYPE_CHECKING

import uvicorn
from uvicorn.server import ServerState

from ladder.app.live_hub import LiveHub
from ladder.app.wheels import find_wheels
from ladder.people.sessions.session_pool import no_tabs
from ladder.serving.application import make_app
from ladder.site.pages.downloads import find_docs
from ladder.site.server.event_streams import MAX_STREAMS
from ladder.site.server.visitor_connection import (
    HEAD_BYTES,
    MAX_CONNECTIONS,
    SharedConnections,
    SharedListener,
    TimeoutConnection,
    Timeouts,
    max_connections,
)

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator

    from ladder.app.ladder import Ladder
    from ladder.people.sessions.session_pool import OpenTabs
    from ladder.site.server.listening import Tls

SHUTDOWN_SECONDS = 3
"""Limit, in seconds, for requests under way to end; streams of live events are told to."""


TIMEOUTS = Timeouts()
RENEWAL_SECONDS = 30
"""Seconds between two looks whether the certificate has been renewed."""


def serve(ladder: Ladder, listener: socket.socket, tls: Tls | None = None) -> None:
    """
    Serve the site of a ladder until SIGINT or SIGTERM.

    Args:
        ladder: Open.
        listener: What `listen` gave.
        tls: The certificate; None: HTTP.
    """
    make_server(ladder, tls).run([listener])


def make_server(
    ladder: Ladder,
    tls: Tls | None = None,
    timeouts: Timeouts = TIMEOUTS,
    connections: int | None = None,
    max_streams: int = MAX_STREAMS,
) -> SiteServer:
    """
    Put the site's server together.

    Args:
        ladder: Open for as long as it serves.
        tls: The certificate; None: HTTP.
        timeouts: How long visitors are waited for.
        connections: The number of visitors' connections; None: as many as this process may have.
        max_streams: Number of streams of events that are open at the same time.
    """
    hub, open_tabs, proxy = LiveHub(ladder), no_tabs(ladder), ladder.settings.site_proxy
    shared = SharedConnections(connections or max_connections(), proxy)
    data_dir = ladder.settings.data_dir

    async def renew() -> None:
        if tls is not None:
            tls.renew()

    config = uvicorn.Config(
        make_app(
            ladder,
            hub,
            open_tabs=open_tabs,
            wheels=find_wheels(data_dir),
            docs=find_docs(data_dir),
            max_streams=max_streams,
        ),
        http=TimeoutConnection.with_timeouts(timeouts, shared),
        h11_max_incomplete_event_size=HEAD_BYTES,
        limit_concurrency=MAX_CONNECTIONS + 1,  # of a proxy: visitors' own are shared before
        log_level=logging.ERROR,  # its warnings are sentences about visitors, one for each of their requests
        ssl_context_factory=(lambda *_: tls.context) if tls is not None else None,
        callback_notify=renew,
        timeout_notify=0,  # at each tick
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,  # `DatedState` has it
        proxy_headers=bool(proxy),
        forwarded_allow_ips=proxy or None,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        lifespan="on",
    )
    return SiteServer(config, hub, open_tabs, shared)


class DatedState(ServerState):
    """State that uvicorn's connections share; the header `Date` is made when an answer needs it, and kept a second."""

    _second = 0
    _date: list[tuple[bytes, bytes]] = []  # noqa: RUF012, never changed in place
    _others: list[tuple[bytes, bytes]] = []  # noqa: RUF012

    @property
    def default_headers(self) -> list[tuple[bytes, bytes]]:
        """The headers of every answer."""
        if (now := int(time.time())) != self._second:
            self._second, self._date = now, [(b"date", formatdate(now, usegmt=True).encode())]
        return self._date + self._others

    @default_headers.setter
    def default_headers(self, headers: list[tuple[bytes, bytes]]) -> None:
        self._others = headers


class SiteServer(uvicorn.Server):
    """
    Ends streams before it waits for requests to end; a signal is how it is ended, no failure.

    While no request comes it sleeps: uvicorn looks ten times a second whether it is to end, and what time it is.
    """

    _should_exit = False
    _wake: Callable[[], object] | None = None

    def __init__(
        self, config: uvicorn.Config, hub: LiveHub, open_tabs: OpenTabs, connections: SharedConnections
    ) -> None:
        super().__init__(config)
        self._connections = connections
        self.server_state = DatedState()
        self._hub = hub
        self._open_tabs = open_tabs

    @property
    def should_exit(self) -> bool:
        """True if it is to end; may be set by signal handlers and other threads."""
        return self._should_exit

    @should_exit.setter
    def should_exit(self, value: bool) -> None:
        self._should_exit = value
        if self._wake is not None:
            with suppress(RuntimeError):  # the loop is closed: it has ended
                self._wake()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See uvicorn; counts the connections that are accepted."""
        await super().startup([SharedListener(each, self._connections) for each in sockets or ()])

    async def main_loop(self) -> None:
        """See uvicorn; waits until it is to end, but for looks whether the certificate has been renewed."""
        loop, woken = asyncio.get_running_loop(), asyncio.Event()
        self._wake = partial(loop.call_soon_threadsafe, woken.set)
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                await asyncio.wait_for(woken.wait(), RENEWAL_SECONDS)

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
        await self._open_tabs.close()
        await super().shutdown(sockets)
