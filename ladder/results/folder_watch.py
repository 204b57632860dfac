"""A wait for changes in a folder, by Linux's inotify: the process sleeps until the kernel says that there is one."""

from __future__ import annotations

import asyncio
import ctypes
import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

IN_ATTRIB, IN_CREATE = 0x4, 0x100
"""A file in the folder has other times, or is new; see inotify(7)."""
EVENTS_BYTES = 64 * 1024


@contextmanager
def watching(folder: Path, changed: Callable[[], object]) -> Iterator[bool]:
    """
    Call a function, in the event loop that runs now, whenever a file in a folder was touched.

    Args:
        folder: It is made if there is none.
        changed: Called with nothing, once for several changes that come together.

    Yields:
        Whether the kernel reports changes. If not, on other systems and where a user's watches are used up, *changed*
        is never called. Changes by other machines, in a folder that is shared, are not reported in any case.
    """
    descriptor = _watch(folder)
    if descriptor is None:
        yield False
        return
    loop = asyncio.get_running_loop()

    def read() -> None:
        with suppress(BlockingIOError):
            os.read(descriptor, EVENTS_BYTES)
        changed()

    loop.add_reader(descriptor, read)
    try:
        yield True
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


def _watch(folder: Path) -> int | None:
    """Open a watch; None where the system gives none."""
    if sys.platform != "linux":
        return None
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    libc = ctypes.CDLL(None)
    descriptor: int = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if descriptor < 0:
        return None
    if libc.inotify_add_watch(descriptor, os.fsencode(folder), IN_ATTRIB | IN_CREATE) < 0:
        os.close(descriptor)
        return None
    return descriptor
