"""A runner's behaviour while the platform fails: log it once, and try again after growing pauses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from ladder.errors import LadderError, SandboxError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

PLATFORM_ERRORS = (StoreError, LadderError, SandboxError, OSError)
"""Errors that may pass: the database is gone or locked, the disk is full, the engine is down."""
LONGEST_PAUSE = 60.0
"""The most seconds between two attempts while something fails; the first pause is one second, each next one doubles."""

log = structlog.get_logger()


class Outage:
    """The failures since the platform worked last, and the pause before the next attempt."""

    def __init__(self, tick: Callable[[], float]) -> None:
        """Begin with a platform that works; *tick* is a clock in seconds that never goes back."""
        self._tick = tick
        self._failures = 0
        self._sentence = ""
        self._resume_at = 0.0

    @property
    def lasts(self) -> bool:
        """True if something has failed, and `end` has not been called since."""
        return bool(self._sentence)

    @property
    def pause(self) -> float:
        """Seconds until the next attempt; 0 or less: now."""
        return self._resume_at - self._tick()

    def begin(self, error: BaseException) -> None:
        """Pause after a failure, longer after each one; it is logged if it differs from the one before."""
        self._failures += 1
        sentence = in_one_line(error)
        if sentence != self._sentence:
            log.error("platform.down", reason=sentence)
            self._sentence = sentence
        self.wait(self._failures)

    def wait(self, count: int) -> None:
        """Pause as after *count* failures in a row: 1, 2, 4, … seconds."""
        self._resume_at = self._tick() + min(LONGEST_PAUSE, 2.0 ** min(count - 1, 10))

    def end(self) -> None:
        """Note that the platform works again."""
        if self.lasts:
            log.info("platform.up")
            self._sentence, self._failures = "", 0


def in_one_line(error: BaseException) -> str:
    """Say what is missing."""
    if isinstance(error, OSError):
        return f"{error.filename or 'The disk'} cannot be written: {error.strerror or error}."
    return str(error)
