"""Whether anything waits to be read."""

from __future__ import annotations

_NOTHING = bytes(4)


def holds_something(file: int) -> bool:
    """Whether bytes wait in a pipe or a connected socket; half as dear as trying to read, where there are none."""
    import fcntl  # not everywhere, and only containers and processes need them
    import termios

    return fcntl.ioctl(file, termios.FIONREAD, _NOTHING) != _NOTHING
