"""Running a command, so that every way to end it cleans up."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from typing import TYPE_CHECKING, TypeVar

from ladder.terminal.interrupts import stopped
from referee.seats.fair_wait import new_loop

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

T = TypeVar("T")


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
        _take_signals(_stop_now)
        return _run(_stopped_at_once(work))
    try:
        return _run(_cancelled_by_sigterm(work))
    except KeyboardInterrupt:
        raise stopped(signal.SIGINT) from None


def run_with_handlers(work: Coroutine[object, object, T]) -> T:
    """
    Run *work* to its end, with the signal handlers that are set: each is called at once, though *work* waits.

    Else the handler of a signal that comes right before a wait, or to another thread, is called only after the wait.
    """

    async def woken() -> T:
        loop = asyncio.get_running_loop()
        read, write = socket.socketpair()
        with read, write:
            for end in (read, write):
                end.setblocking(False)
            loop.add_reader(read, read.recv, 4096)
            before = signal.set_wakeup_fd(write.fileno(), warn_on_full_buffer=False)
            try:
                return await work
            finally:
                signal.set_wakeup_fd(before)
                loop.remove_reader(read)

    return asyncio.run(woken())


def _run(work: Coroutine[object, object, T]) -> T:
    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(work)


def _take_signals(handler: Callable[[int, object], None]) -> None:
    signal.signal(signal.SIGINT, handler)
    signal.signal(signal.SIGTERM, handler)


def _stop_now(number: int, _: object) -> None:
    raise stopped(number)


async def _stopped_at_once(work: Coroutine[object, object, T]) -> T:
    """
    Wait for *work*, into which a signal raises an exception wherever it computes.

    A signal may come between two steps of tasks, where asyncio would report the exception and continue: then *work* is
    cancelled.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    received: list[int] = []

    def stop(number: int, _: object) -> None:
        if asyncio.current_task(loop) is not None or task is None:
            raise stopped(number)
        received.append(number)
        loop.call_soon_threadsafe(task.cancel)

    _take_signals(stop)
    try:
        return await work
    except asyncio.CancelledError:
        if received:
            raise stopped(received[0]) from None
        raise
    finally:
        _take_signals(_stop_now)


async def _cancelled_by_sigterm(work: Coroutine[object, object, T]) -> T:
    task = asyncio.ensure_future(work)
    terminated = asyncio.Event()

    def terminate() -> None:
        terminated.set()
        task.cancel()

    with contextlib.suppress(NotImplementedError):  # Windows has no such signals
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
