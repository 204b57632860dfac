"""A wire between a worker and its scheduler that can be held, cut, and mended."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class Relay:
    """
    Passes on every byte between `port` and another port of this machine until it is told not to.

    What comes while it is held arrives when it is mended, in both directions, as over a network that was parted.
    """

    def __init__(self, to: int) -> None:
        """Begin to pass on to port *to*; nobody needs to listen there yet."""
        self._to = to
        self._closed = self._refuses = False
        self._open = threading.Event()
        self._open.set()
        self._connections: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self._listener.getsockname()[1]
        """For the worker."""
        threading.Thread(target=self._accept, daemon=True).start()

    def hold(self) -> None:
        """Pass nothing on, and break nothing; who comes now finds a connection that says nothing."""
        self._open.clear()

    def cut(self) -> None:
        """Break every connection, and let no new one in."""
        self._refuses = True
        self._break()

    def mend(self) -> None:
        """Pass on again, what was held first."""
        self._refuses = False
        self._open.set()

    def close(self) -> None:
        """Let go of everything; harmless twice."""
        self._closed = True
        self._open.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._break()

    def _break(self) -> None:
        connections, self._connections = self._connections, []
        for connection in connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self._listener.accept()
                try:
                    if self._refuses:
                        raise ConnectionError
                    there = socket.create_connection(("127.0.0.1", self._to))
                except OSError:
                    here.close()
                    continue
                self._connections += [here, there]
                for source, target in ((here, there), (there, here)):
                    threading.Thread(target=self._pass_on, args=[source, target], daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self._open.wait()
                if self._closed:
                    return
                target.sendall(data)
        for each in (source, target):  # the other direction ends, too: one that is broken is of no use
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
