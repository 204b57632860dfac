"""
Bytes that have come over the connections of a seat, and gRPC has not read yet.

gRPC for Python does not let its users count frames of HTTP/2. Frames that are no messages, such as window updates, cost
the bot that sends them next to nothing, and the referee twenty times as much CPU time to read. An honest bot sends some
hundred bytes for each question, which are read at once; where a bot sends faster than the referee reads, bytes wait.
"""

from __future__ import annotations

import os
import socket
import stat
from contextlib import suppress
from pathlib import Path

_DESCRIPTORS = Path("/proc/self/fd")


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
