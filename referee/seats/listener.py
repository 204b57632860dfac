"""
Unix socket at which gRPC listens for a bot, and the connections made over it.

One thread of gRPC's takes the connections of all seats of the process, and turns to the next seat when no program waits
at this one. A program that connects without end could keep it there for ever. Therefore few connections may wait: a
seat at which too many wait is closed, and a seat is closed as soon as its bot has come.

`Backlog` counts the bytes that have come over the connections of a seat, and gRPC has not read yet. gRPC for Python
does not let its users count frames of HTTP/2. Frames that are no messages, such as window updates, cost the bot that
sends them next to nothing, and the referee twenty times as much CPU time to read. An honest bot sends some hundred
bytes for each question, which are read at once; where a bot sends faster than the referee reads, bytes wait.
"""

from __future__ import annotations

import errno
import os
import select
import socket
import stat
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


class Backlog:
    """
    The connections of this process that were made at a path. gRPC owns them, and offers no way to reach them.

    Where a system does not list its descriptors as Linux does, none is found.
    """

    def __init__(self, path: Path) -> None:
        self._path = str(path)
        self._known: dict[int, int] = {}
        """By descriptor, the inode number of what was behind it when it was looked at."""
        self._connections: dict[int, int] = {}

    def find(self) -> None:
        """Look for connections among the descriptors that are new since the last time."""
        found: dict[int, int] = {}
        with suppress(FileNotFoundError):
            for name in os.listdir(_DESCRIPTORS):
                descriptor = int(name)
                with suppress(OSError):  # it has been closed meanwhile
                    status = os.fstat(descriptor)
                    if stat.S_ISSOCK(status.st_mode):
                        found[descriptor] = status.st_ino
        new = found.items() - self._known.items()
        self._connections = {each: inode for each, inode in self._connections.items() if found.get(each) == inode}
        self._connections |= {each: inode for each, inode in new if self._is_here(each)}
        self._known = found

    def unread(self) -> int:
        """Give the bytes that wait on the connection where most do."""
        return max((self._unread(*each) for each in self._connections.items()), default=0)

    def _is_here(self, descriptor: int) -> bool:
        """
        Tell whether a descriptor is a connection made at the path.

        It is looked at itself, and never at a copy: while a copy is open, epoll keeps what gRPC closes, and gRPC is
        told of a connection that it has forgotten.
        """
        with suppress(OSError):
            found = socket.socket(fileno=descriptor)
            try:
                listens = found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
                return found.family == socket.AF_UNIX and found.getsockname() == self._path and not listens
            finally:
                found.detach()
        return False

    def _unread(self, descriptor: int, inode: int) -> int:
        import fcntl  # not everywhere, and bots in this process need none
        import termios

        with suppress(OSError):
            if os.fstat(descriptor).st_ino == inode:
                return int.from_bytes(fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)), "little", signed=True)
        return 0
