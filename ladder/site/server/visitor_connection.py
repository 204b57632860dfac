"""
A connection to a visitor, who may be slow, or means to be: no visitor holds one for long without using it.

Connections are shared fairly (`ladder.site.server.places`) from the moment on at which they are accepted, so that those
count, too, whose client never ends the handshake of TLS.
"""

from __future__ import annotations

import ipaddress
import os
import resource
import socket
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from ladder.site.server.places import SharedPlaces

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from typing import Any, Self

    from ladder.site.server.places import Place

HEAD_BYTES = 16 * 1024
"""Limit of a request before its body, in bytes, while it is not complete."""
MAX_CONNECTIONS = 4096
"""With more, those of the visitors with the most are closed; behind a proxy, more are refused."""
OTHER_FILES = 512
"""Files of the process that are no connections."""
MIN_CONNECTIONS = 64
"""Connections that a process has however few files it may open."""


@dataclass(frozen=True)
class Timeouts:
    """Limits, in seconds, of waiting for a visitor."""

    head: float = 20.0
    """For the head of a request, and for the rest of one that has been answered already."""
    reader: float = 60.0
    """For a client that does not read what is sent to it."""


class SharedConnections:
    """The connections of one process, by the addresses from which they come."""

    def __init__(self, count: int = MAX_CONNECTIONS, proxies: str = "") -> None:
        """
        Begin without any.

        Args:
            count: At most this many.
            proxies: Addresses or networks of proxies, with commas between: their connections are theirs to limit.
        """
        self._places = SharedPlaces(count)
        self._by_peer: dict[Any, Place] = {}
        self._proxies = [
            ipaddress.ip_network(each.strip(), strict=False) for each in proxies.split(",") if each.strip()
        ]

    def __len__(self) -> int:
        return len(self._places)

    def place_of(self, transport: asyncio.BaseTransport) -> Place | None:
        """Find the place of a connection; None: it is a proxy's, or has none."""
        return self._by_peer.get(transport.get_extra_info("peername"))

    def accepted(self, connection: socket.socket, peer: Any) -> socket.socket:
        """
        Count a connection that was accepted, or close it: all places are taken, and its visitor has the most of them.

        Raises:
            ConnectionAbortedError: If it is closed.
        """
        if self._is_proxy(str(peer[0])):
            return connection
        counted = _CountedSocket(fileno=connection.detach())
        place = self._places.take(str(peer[0]), counted.cut_off, is_idle=True)
        if place is None:
            counted.close()
            raise ConnectionAbortedError
        self._by_peer[peer] = place
        counted.closed = lambda: self._forget(peer, place)
        return counted

    def _forget(self, peer: Any, place: Place) -> None:
        place.leave()
        if self._by_peer.get(peer) is place:
            del self._by_peer[peer]

    def _is_proxy(self, host: str) -> bool:
        if not self._proxies:
            return False
        address = ipaddress.ip_address(host.partition("%")[0])
        known = getattr(address, "ipv4_mapped", None) or address
        return any(known in network for network in self._proxies)


class _CountedSocket(socket.socket):
    """A connection that frees its place when it is closed."""

    closed: Callable[[], None] | None = None

    def close(self) -> None:
        """See socket."""
        super().close()
        if self.closed is not None:
            self.closed()

    def cut_off(self) -> None:
        """End the connection for another visitor's; the event loop then closes it."""
        with suppress(OSError):  # the client has gone already
            self.shutdown(socket.SHUT_RDWR)


class SharedListener(socket.socket):
    """A socket that listens, and counts what it accepts."""

    def __init__(self, listener: socket.socket, connections: SharedConnections) -> None:
        """Listen where another socket does; each is closed by itself."""
        super().__init__(fileno=os.dup(listener.fileno()))
        self._connections = connections

    def accept(self) -> tuple[socket.socket, Any]:
        """See socket; `ConnectionAbortedError` tells the event loop that there was none."""
        connection, peer = super().accept()
        return self._connections.accepted(connection, peer), peer


def max_connections() -> int:
    """Allow this process as many files as it needs and may have, and give its number of connections."""
    wanted = MAX_CONNECTIONS + OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return max(MIN_CONNECTIONS, min(MAX_CONNECTIONS, allowed - OTHER_FILES))


class TimeoutConnection(H11Protocol):
    """Uvicorn's, which would wait without end for the first request, and for a visitor who does not read."""

    timeouts: ClassVar[Timeouts] = Timeouts()
    shared: ClassVar[SharedConnections] = SharedConnections()
    _place: Place | None = None
    _deadline: asyncio.TimerHandle | None = None
    _writing: asyncio.TimerHandle | None = None
    _waits_for: object = None

    @classmethod
    def with_timeouts(cls, timeouts: Timeouts, shared: SharedConnections | None = None) -> type[Self]:
        """Give the class of connections with other timeouts, and shared places: uvicorn makes them itself."""
        return type(cls.__name__, (cls,), {"timeouts": timeouts, "shared": shared or SharedConnections()})

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See asyncio."""
        super().connection_made(transport)
        self._place = self.shared.place_of(transport)
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """See asyncio."""
        for timer in (self._deadline, self._writing):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """See asyncio."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """See uvicorn."""
        super().on_response_complete()
        self._look()

    def timeout_keep_alive_handler(self) -> None:
        """See uvicorn, which would wait until the last bytes are read."""
        super().timeout_keep_alive_handler()
        self.loop.call_later(self.timeouts.head, self.transport.abort)

    def pause_writing(self) -> None:
        """See asyncio: much has been sent that has not been read."""
        super().pause_writing()
        self._writing = self.loop.call_later(self.timeouts.reader, self.transport.abort)

    def resume_writing(self) -> None:
        """See asyncio."""
        super().resume_writing()
        if self._writing is not None:
            self._writing.cancel()

    def _look(self) -> None:
        """Set the deadline anew if something else is awaited; the bytes that arrive meanwhile do not move it."""
        waits_for = self._awaited()
        if waits_for == self._waits_for:
            return
        self._waits_for = waits_for
        if self._place is not None:
            self._place.set_idle(waits_for is not None)
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(self.timeouts.head, self.transport.abort) if waits_for else None

    def _awaited(self) -> Any:
        """Name what the client must still send: a head, or the rest of an answered request; None: nothing."""
        theirs = self.conn.their_state
        if theirs is h11.IDLE:
            return theirs
        return theirs if theirs is h11.SEND_BODY and self.cycle.response_complete else None
