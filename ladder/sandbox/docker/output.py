"""Output of a container, read from a Unix socket in its seat's folder: the launcher makes it stdout and stderr."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from typing import TYPE_CHECKING

from ladder.errors import SandboxError
from ladder.sandbox.host.readable import has_data
from ladder.sandbox.host.visible import bind_visible
from ladder.sandbox.tail import Tail

if TYPE_CHECKING:
    from pathlib import Path

NAME = "log.sock"
"""File name of the socket, which the launcher knows too; gone once the container has connected."""

CHUNK = 64 * 1024
PAUSE = 0.05
"""Seconds in which at most `CHUNK` bytes are read. A bot that writes more waits on its own full socket."""

_LAST_CHUNKS = 64
"""Chunks read at once when the output is asked for: a socket holds less, and a bot may still write meanwhile."""


class Output:
    """The end of a container's output. Lives on the event loop that made it."""

    def __init__(self, folder: Path, pause: float = PAUSE) -> None:
        """
        Listen in *folder*, for one connection, and read from it at most `CHUNK` bytes in *pause* seconds.

        Raises:
            SandboxError: If the folder takes no socket.
        """
        self._pause_seconds = pause
        self._connected = False
        self._is_paused = False
        self._tail = Tail()
        self._path = folder / NAME
        self._loop = asyncio.get_running_loop()
        self._resuming: asyncio.TimerHandle | None = None
        self._socket: socket.socket | None = socket.socket(socket.AF_UNIX)
        try:
            self._socket.setblocking(False)
            bind_visible(self._socket, self._path)
            self._socket.listen(1)
        except SandboxError:
            self._socket.close()
            raise
        self._loop.add_reader(self._socket, self._read)

    def __str__(self) -> str:
        """Give the end of what has been written up to now."""
        self._catch_up()
        return str(self._tail)

    def mark(self, decision: int) -> None:
        """Label what comes from now on with this *decision*."""
        if not self._connected or (self._socket is not None and has_data(self._socket)):
            self._catch_up()
        self._tail.mark(decision)

    def has_connected(self) -> bool:
        """Tell whether the container has ever connected."""
        self._catch_up()
        return self._connected

    def close(self) -> None:
        """Keep what has been written until now, and read no more; may be called twice."""
        self._catch_up()
        self._pause()
        self._drop()
        self._path.unlink(missing_ok=True)

    def _catch_up(self) -> None:
        for _ in range(_LAST_CHUNKS):
            if not self._take():
                break

    def _read(self) -> None:
        """Read one chunk, then pause: a flood of output costs this process no more than that."""
        if self._take():
            self._pause()
            self._resuming = self._loop.call_later(self._pause_seconds, self._resume)

    def _take(self) -> bool:
        """Take one chunk; whether there was anything."""
        if not self._connected:
            self._accept()
        if self._socket is None or not self._connected:
            return False
        try:
            data = self._socket.recv(CHUNK)
        except BlockingIOError:
            return False
        except OSError:  # a connection that was reset, like one that was closed, has no more to say
            data = b""
        if not data:
            self._drop()
        self._tail.write(data)
        return bool(data)

    def _accept(self) -> None:
        """Let the connection take the place of the socket that listened."""
        if self._socket is None:
            return
        with suppress(BlockingIOError):
            connection, _ = self._socket.accept()
            self._drop()
            self._path.unlink(missing_ok=True)
            connection.setblocking(False)
            self._socket, self._connected = connection, True
            self._resume()

    def _resume(self) -> None:
        self._is_paused = False
        if self._socket is not None:
            self._loop.add_reader(self._socket, self._read)

    def _pause(self) -> None:
        self._is_paused = True
        if self._resuming is not None:
            self._resuming.cancel()
        if self._socket is not None:
            self._loop.remove_reader(self._socket)

    def _drop(self) -> None:
        if self._socket is not None:
            self._loop.remove_reader(self._socket)
            self._socket.close()
            self._socket = None
