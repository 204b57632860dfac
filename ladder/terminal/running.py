"""Running a command, so that every way to end it cleans up."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from typing import TYPE_CHECKING, TypeVar

from ladder.terminal.interrupts import stopped
from referee.seats.fair_wait import new_loop

if TYPE_CHECKING:
    from collections.abc import Coroutine

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
        signal.signal(signal.SIGINT, _stop_now)
        signal.signal(signal.SIGTERM, _stop_now)
        return _run(work)
    try:
        return _run(_cancelled_by_sigterm(work))
    except KeyboardInterrupt:
        raise stopped(signal.SIGINT) from None


def _run(work: Coroutine[object, object, T]) -> T:
    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(work)


def _stop_now(number: int, _: object) -> None:
    raise stopped(number)


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
