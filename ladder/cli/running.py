"""Running a coroutine from a command, so that every way to end it cleans up."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")


class Stopped(BaseException):
    """Someone ended the command; what was running has been cleaned up."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def run(work: Coroutine[object, object, T]) -> T:
    """
    Run *work* to its end.

    Raises:
        Stopped: After Ctrl-C or SIGTERM: *work* was cancelled and had the time to clean up.
    """
    try:
        return asyncio.run(_cancelled_by_sigterm(work))
    except KeyboardInterrupt:
        raise Stopped("Interrupted.", 130) from None


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
            raise Stopped("Terminated.", 143) from None
        raise
