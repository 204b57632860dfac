"""Check that a file has data to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket

_NOTHING = bytes(4)


def has_data(file: int | socket.socket) -> bool:
    """Tell whether bytes wait in a pipe or a connected socket; half the cost of trying to read where none do."""
    import fcntl  # not everywhere, and only containers and processes need them
    import termios

    return fcntl.ioctl(file, termios.FIONREAD, _NOTHING) != _NOTHING
