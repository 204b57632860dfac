"""A wait that ends when a signal comes, without a look in between."""

from __future__ import annotations

import select
import signal
import socket
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def waiting_for_signals(*numbers: int) -> Iterator[Callable[[float | None], None]]:
    """
    Take signals, and give a function that waits for one. Only for the main thread.

    Args:
        numbers: Signals that would be ignored; those with a handler end a wait, too.

    Yields:
        It waits some seconds, None: for ever; it returns at once if a signal has come since the last wait.
    """
    reader, writer = socket.socketpair()
    for end in (reader, writer):
        end.setblocking(False)

    def wait(seconds: float | None) -> None:
        select.select([reader], [], [], seconds)
        with suppress(BlockingIOError):
            while reader.recv(4096):
                pass

    before = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    handlers = {number: signal.signal(number, lambda *_: None) for number in numbers}
    try:
        yield wait
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(before)
        reader.close()
        writer.close()
