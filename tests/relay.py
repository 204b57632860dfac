"""A wire between two programs that can be held, cut, and mended."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Relay:
    """
    Passes on every byte in both directions until it is told not to.

    What comes while it is held arrives when it is mended, as over a network that was parted. It has threads of its own:
    programs and fixtures that use it block.
    """

    def __init__(self, listener: socket.socket, connect: Callable[[], socket.socket]) -> None:
        """
        Begin to pass on.

        Args:
            listener: Where one side connects; closed in the end.
            connect: Connects with the other side; who comes while that fails is sent away.
        """
        self._listener = listener
        self._connect = connect
        self._closed = self._refuses = False
        self._open = threading.Event()
        self._open.set()
        self._connections: list[socket.socket] = []
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def hold(self) -> None:
        """Pass nothing on, and break nothing; who comes now finds a connection that says nothing."""
        self._open.clear()

    def refuse(self) -> None:
        """Drop every new connection; those that are open go on."""
        self._refuses = True

    def cut(self) -> None:
        """Break every connection, and let no new one in."""
        self.refuse()
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
        with self._lock:
            connections, self._connections = self._connections, []
        for connection in connections:
            _end(connection)
            connection.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self._listener.accept()
                try:
                    if self._refuses:
                        raise ConnectionError
                    there = self._connect()
                except OSError:
                    here.close()
                    continue
                with self._lock:
                    if is_let_in := not (self._refuses or self._closed):
                        self._connections += [here, there]
                if not is_let_in:
                    here.close()
                    there.close()
                    continue
                for source, target in ((here, there), (there, here)):
                    threading.Thread(target=self._pass_on, args=[source, target], daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                self._open.wait()
                if self._closed:
                    return
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)  # the other direction may go on
        except OSError:
            _end(source)
            _end(target)


class PortRelay(Relay):
    """A wire to a port of this machine; nobody needs to listen there yet."""

    def __init__(self, to: int) -> None:
        listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = listener.getsockname()[1]
        """Connections to it reach port *to*."""
        super().__init__(listener, lambda: socket.create_connection(("127.0.0.1", to)))


def _end(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
