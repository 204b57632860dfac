"""Common parts of what sends messages of an outbox, webhooks and e-mail: growing pauses, a thread of its own."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, Any

import structlog

from ladder.runner.lease_loop import LeaseLoop
from ladder.runner.leased_rows import LONGEST_PAUSE

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from random import Random

    from ladder.runner.lease_loop import Work

FIRST, FACTOR, LONGEST = 10.0, 4.0, 6 * 3600.0
"""Seconds before the second attempt, how much longer each following pause is, and the most."""
ATTEMPTS = 10
"""The last one is about 22 hours after the first."""
JITTER = 0.25
"""The part of a pause by which it is longer or shorter, so that messages do not come again all at once."""
RETRY_SECONDS = 10.0
"""Seconds that a lease is kept after the database has failed, and that a thread waits after a mistake."""

log = structlog.get_logger()


def pause_after(refusals: int, rng: Random, wait: float | None = None) -> float | None:
    """
    Give the seconds until a message is sent again; None: it is given up.

    Args:
        refusals: Attempts that were not accepted, at least 1.
        rng: Chance.
        wait: Seconds that the receiver asks to wait; not less, and at most `LONGEST`, plus chance.
    """
    if refusals >= ATTEMPTS:
        return None
    pause = min(FIRST * FACTOR ** (refusals - 1), LONGEST) * rng.uniform(1 - JITTER, 1 + JITTER)
    return pause if wait is None else max(pause, min(wait, LONGEST) * rng.uniform(1, 1 + JITTER))


class DelivererThread:
    """Sends messages in a thread of its own, until `stop`."""

    def __init__(self, name: str, make: Callable[[], AbstractContextManager[Work[Any, Any]]]) -> None:
        """
        Begin.

        Args:
            name: Of the work, in events of the log.
            make: Makes the work; called in the thread, again if a mistake of the platform has ended it.
        """
        self._name = name
        self._make = make
        self._loop = asyncio.new_event_loop()
        self._task: asyncio.Task[None] | None = None
        self._stops = False
        self._thread = Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End it; what is being sent is given back, and sent again by another process, or the next run."""
        with suppress(RuntimeError):  # the loop is closed: the thread has ended
            self._loop.call_soon_threadsafe(self._stop)
        self._thread.join()

    def _stop(self) -> None:
        self._stops = True
        if self._task is not None:
            self._task.cancel()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner, suppress(asyncio.CancelledError):
            runner.run(self._deliver())

    async def _deliver(self) -> None:
        self._task = asyncio.current_task()
        while not self._stops:
            try:
                with self._make() as work:
                    await LeaseLoop([work], LONGEST_PAUSE).run()
            except Exception as error:  # it runs unattended for months
                log.exception(f"{self._name}.mistake", reason=f"{type(error).__name__}: {error}")
                await asyncio.sleep(RETRY_SECONDS)
