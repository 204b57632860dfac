"""
The Unix socket at which gRPC listens for a bot.

One thread of gRPC's takes the connections of all seats of the process, and turns to the next seat when no program waits
at this one. A program that connects without end could keep it there for ever. Therefore few connections may wait: a
seat at which too many wait is closed, and a seat is closed as soon as its bot has come.
"""

from __future__ import annotations

import errno
import os
import select
import socket
from contextlib import suppress
from pathlib import Path

MAX_WAITING = 8
"""Connections that may wait. A bot needs one, and no more than one for each time that it reconnects."""

_SOCKETS = Path("/proc/net/unix")
_DESCRIPTORS = Path("/proc/self/fd")
_LISTENS = 0x10000
"""The flag of a socket that accepts connections, see the kernel's include/uapi/linux/net.h (`__SO_ACCEPTCON`)."""


class Listener:
    """
    The sockets of this process that listen at a path. gRPC owns them, and offers no way to reach them.

    Where a system does not list its sockets as Linux does, nothing is found and nothing is changed.
    """

    def __init__(self, path: Path, waiting: int = MAX_WAITING) -> None:
        """
        Find the sockets, and let few connections wait there.

        Args:
            path: Where they listen.
            waiting: Connections that may wait; Linux lets one more.
        """
        self._path = path
        self._sockets = _listening_at(path)
        for descriptor in self._sockets:
            with socket.socket(fileno=os.dup(descriptor)) as listening:
                listening.listen(waiting)

    def has_waiting(self) -> bool:
        """Tell whether a connection waits."""
        ready = select.poll()
        for descriptor in self._sockets:
            ready.register(descriptor, select.POLLIN)
        return bool(ready.poll(0))

    def is_full(self) -> bool:
        """Try whether another connection may wait; if so, it does, although it has been closed."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK) as another:
            return another.connect_ex(str(self._path)) == errno.EAGAIN

    def close(self) -> None:
        """
        Let no program connect any more, also not by a descriptor of the socket's file opened before that was removed.

        Connections that gRPC has taken stay, those that wait end. gRPC keeps the number of the descriptor, which it
        closes with its server: behind it there is a socket then that no program can reach.
        """
        with socket.socket(socket.AF_UNIX) as unreachable:
            for descriptor, inode in self._sockets.items():
                with suppress(OSError):  # gRPC has closed it
                    if os.fstat(descriptor).st_ino == inode:
                        os.dup2(unreachable.fileno(), descriptor, inheritable=False)
        self._sockets = {}


def _listening_at(path: Path) -> dict[int, int]:
    """Find the descriptors of all sockets of this process that listen at *path*, each with its inode number."""
    with suppress(FileNotFoundError):
        rows = [row.split(maxsplit=7) for row in _SOCKETS.read_bytes().splitlines()[1:]]
        inodes = {int(row[6]) for row in rows if row[7:] == [os.fsencode(path)] and int(row[3], 16) & _LISTENS}
        return {int(each.name): inode for each in _DESCRIPTORS.iterdir() if (inode := _inode(each)) in inodes}
    return {}


def _inode(descriptor: Path) -> int:
    """Find the inode number behind a descriptor; 0 if it has been closed meanwhile."""
    with suppress(FileNotFoundError):
        return descriptor.stat().st_ino
    return 0
