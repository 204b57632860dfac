"""
The queue of connections that wait at a listening Unix socket.

gRPC lets as many wait as the system allows, 4,096 on Linux. One thread takes them for all sockets of the process, and
turns to the next socket when a queue is empty. A program that connects without end keeps a long queue from ever being
empty, and so the other sockets from being served. A short one is emptied before the program runs again.
"""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from pathlib import Path

MAX_WAITING = 8
"""Connections that may wait. A bot needs one, and no more than one for each time that it reconnects."""

_SOCKETS = Path("/proc/net/unix")
_DESCRIPTORS = Path("/proc/self/fd")
_LISTENS = 0x10000
"""The flag of a socket that accepts connections, see the kernel's include/uapi/linux/net.h (`__SO_ACCEPTCON`)."""


def shorten_queues(path: Path, waiting: int = MAX_WAITING) -> None:
    """
    Let *waiting* connections wait at most at this process's sockets that listen at *path*.

    Where a system does not list its sockets as Linux does, the queues stay as they are.
    """
    with suppress(FileNotFoundError):
        inodes = _listening_at(path)
        for descriptor in _DESCRIPTORS.iterdir():
            with suppress(FileNotFoundError):  # closed meanwhile
                if descriptor.stat().st_ino in inodes and descriptor.is_socket():
                    with socket.socket(fileno=os.dup(int(descriptor.name))) as listener:
                        listener.listen(waiting)


def _listening_at(path: Path) -> set[int]:
    """The inode numbers of all sockets that listen at *path*."""
    rows = [row.split(maxsplit=7) for row in _SOCKETS.read_bytes().splitlines()[1:]]
    return {int(row[6]) for row in rows if row[7:] == [os.fsencode(path)] and int(row[3], 16) & _LISTENS}
