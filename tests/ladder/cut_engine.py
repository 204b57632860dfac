"""A proxy in front of the engine's socket that can be cut, closed, or made to hang."""

from __future__ import annotations

import os
import socket
import threading
from contextlib import suppress
from pathlib import Path

ENGINE = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock").removeprefix("unix://")


class CutEngine:
    """
    Passes on every byte between `address` and the engine until it is told not to.

    Runs in threads of its own: the engine's library blocks, and so do fixtures that close it.
    """

    def __init__(self, path: Path) -> None:
        self.address = f"unix://{path}"
        """For DOCKER_HOST."""
        self._refuses = self._closed = False
        self._open = threading.Event()
        self._open.set()
        self._connections: list[socket.socket] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def hang(self) -> None:
        """Take every call, old and new, and answer none."""
        self._open.clear()

    def refuse(self) -> None:
        """Drop every new connection; those that are open go on."""
        self._refuses = True

    def cut(self) -> None:
        """Break every connection and let no new one in, as an engine that is killed does."""
        self.refuse()
        self._break(self._connections)

    def close(self) -> None:
        """Let go of everything; harmless twice."""
        self._closed = True
        self._open.set()
        self._break([self._listener, *self._connections])

    def _break(self, connections: list[socket.socket]) -> None:
        for connection in connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self._listener.accept()
                if self._refuses:
                    here.close()
                    continue
                there = socket.socket(socket.AF_UNIX)
                there.connect(ENGINE)
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
            target.shutdown(socket.SHUT_WR)
