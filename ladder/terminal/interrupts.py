"""Signals that end a command: Ctrl-C and SIGTERM."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Stopped(BaseException):
    """Someone ended the command; what was running has been cleaned up."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


@contextmanager
def interruptible() -> Iterator[None]:
    """
    Let Ctrl-C raise an exception, so that a command can clean up; where it is ignored, it stays so.

    Afterwards Ctrl-C does again what it did before: there is nothing more to clean up.

    Raises:
        Stopped: After Ctrl-C.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        raise stopped(signal.SIGINT) from None
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def stopped_by_signals(stop: Callable[[], object]) -> Iterator[list[int]]:
    """
    Call *stop* for the first two signals that ask for an end; after them, signals do what they did before.

    Yields:
        The numbers of the signals that have come: SIGINT or SIGTERM.
    """
    received: list[int] = []

    def take(number: int, _: object) -> None:
        received.append(number)
        stop()
        if len(received) == 2:
            _restore(before)

    before = {number: signal.signal(number, take) for number in _STOPS}
    try:
        yield received
    finally:
        _restore(before)


def stopped(number: int) -> Stopped:
    """Give the error to raise after the signal *number*: SIGINT or SIGTERM."""
    return Stopped(*_STOPS[number])


def _restore(handlers: dict[int, signal._HANDLER]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)


_STOPS: dict[int, tuple[str, int]] = {signal.SIGINT: ("Interrupted.", 130), signal.SIGTERM: ("Terminated.", 143)}
