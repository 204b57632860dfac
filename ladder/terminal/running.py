"""Running a command, so that every way to end it cleans up."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from referee.seats.stall_tolerant_loop import new_loop

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

T = TypeVar("T")


class Stopped(BaseException):
    """Someone ended the command; what was running has been cleaned up."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def run(work: Coroutine[object, object, T], *, blocks: bool = False) -> T:
    """
    Run *work* to its end.

    Args:
        work: What to run.
        blocks: It may compute for long without waiting for anything, so that only a plain signal handler gets through.

    Raises:
        Stopped: After Ctrl-C or SIGTERM: *work* was cancelled and had the time to clean up.
    """
    if blocks:
        signal.signal(signal.SIGINT, _stop_now)
        signal.signal(signal.SIGTERM, _stop_now)
        return _run(work)
    try:
        return _run(_cancelled_by_sigterm(work))
    except KeyboardInterrupt:
        raise stopped(signal.SIGINT) from None


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


def _run(work: Coroutine[object, object, T]) -> T:
    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(work)


def _restore(handlers: dict[int, signal._HANDLER]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)


def _stop_now(number: int, _: object) -> None:
    raise stopped(number)


_STOPS: dict[int, tuple[str, int]] = {signal.SIGINT: ("Interrupted.", 130), signal.SIGTERM: ("Terminated.", 143)}


async def _cancelled_by_sigterm(work: Coroutine[object, object, T]) -> T:
    task = asyncio.ensure_future(work)
    terminated = asyncio.Event()

    def terminate() -> None:
        terminated.set()
        task.cancel()

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminate)
    try:
        return await task
    except asyncio.CancelledError:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        if terminated.is_set():
            raise stopped(signal.SIGTERM) from None
        raise
