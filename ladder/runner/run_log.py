"""
The log of a ladder's process, and the log of its outages.

Events are written as JSON lines, to a file in the ladder's folder and to stderr. While the platform fails, an `Outage`
logs that once, and has the runner try again after growing pauses.
"""

from __future__ import annotations

import logging
import sys
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING

import structlog

from ladder.errors import LadderError, SandboxError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping
    from pathlib import Path
    from typing import Any

    Event = MutableMapping[str, Any]

PLATFORM_ERRORS = (StoreError, LadderError, SandboxError, OSError)
"""Errors that may pass: the database is gone or locked, the disk is full, the engine is down."""
LONGEST_PAUSE = 60.0
"""The most seconds between two attempts while something fails; the first pause is one second, each next one doubles."""

log = structlog.get_logger()


class Outage:
    """The failures since the platform worked last, and the pause before the next attempt."""

    def __init__(self, tick: Callable[[], float], longest_pause: float = LONGEST_PAUSE) -> None:
        """
        Begin with a platform that works.

        Args:
            tick: A clock in seconds that never goes back.
            longest_pause: The most seconds of a pause.
        """
        self._tick = tick
        self._longest_pause = longest_pause
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
        self._resume_at = self._tick() + min(self._longest_pause, 2.0 ** min(count - 1, 10))

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


FILE_BYTES = 10 * 1024**2
FILES = 10
"""Files that are kept, with the newest one."""


class _Quiet(RotatingFileHandler):
    """A log that finds no room says nothing: the runner itself says that the disk is full."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Ignore the error."""


def log_to(file: Path, *, to_stderr: bool, watch: Callable[[Event], None] = lambda event: None) -> Callable[[], None]:
    """
    Send every event of this process to a file.

    Args:
        file: The file; its folder is made if it is missing.
        to_stderr: Write the same lines to stderr, too.
        watch: Called with each event.

    Returns:
        What ends it and closes the file.

    Raises:
        OSError: If the file cannot be written.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = logging.Logger("pigpen")
    lines.addHandler(_Quiet(file, maxBytes=FILE_BYTES, backupCount=FILES - 1, encoding="utf-8"))
    if to_stderr:
        lines.addHandler(logging.StreamHandler(sys.stderr))
    structlog.configure(
        processors=_processors(watch),
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=lambda *_: lines,
        cache_logger_on_first_use=False,
    )

    def stop() -> None:
        structlog.reset_defaults()
        for handler in lines.handlers:
            handler.close()

    return stop


def _processors(watch: Callable[[Event], None]) -> list[Any]:
    """List what makes a line of JSON of an event, after *watch* has seen it."""

    def see(_: Any, __: str, event: Event) -> Event:
        watch(event)
        return event

    return [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        see,
        structlog.processors.JSONRenderer(),
    ]
