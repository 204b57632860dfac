"""
The log of a ladder's process, and the log of its outages.

Events are written as JSON lines, to a file in the ladder's folder and to stderr. While the platform fails, an `Outage`
logs that once, and has the runner try again after growing pauses.
"""

from __future__ import annotations

import datetime
import json
import logging
import math
import sys
import time
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
    """
    A log that begins another file when the first line of one is old.

    If it finds no room, it says nothing: the runner itself says that the disk is full.
    """

    def __init__(self, file: Path, seconds: float) -> None:
        """Open a file to be written at its end; *seconds* after its first line another one is begun."""
        super().__init__(file, maxBytes=FILE_BYTES, backupCount=FILES - 1, encoding="utf-8")
        self._seconds = seconds
        self._began = _began(file)

    def shouldRollover(self, record: logging.LogRecord) -> bool:  # noqa: N802
        """Tell whether the file is full, or old."""
        return record.created - self._began > self._seconds or bool(super().shouldRollover(record))

    def doRollover(self) -> None:  # noqa: N802
        """Begin another file."""
        super().doRollover()
        self._began = time.time()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Ignore the error."""


def file_seconds(log_days: int) -> float:
    """Give the seconds after which a process begins another file of its log: old ones go file by file."""
    return log_days * 86_400.0 / (FILES - 1)


def _began(file: Path) -> float:
    """Give the Unix time of the first line of a log; now, if there is none."""
    try:
        with file.open(encoding="utf-8") as lines:
            return datetime.datetime.fromisoformat(json.loads(lines.readline())["timestamp"]).timestamp()
    except (OSError, ValueError, LookupError, TypeError):
        return time.time()


def log_to(
    file: Path,
    *,
    to_stderr: bool,
    watch: Callable[[Event], None] = lambda event: None,
    seconds: float = math.inf,
) -> Callable[[], None]:
    """
    Send every event of this process to a file.

    Args:
        file: The file; its folder is made if it is missing.
        to_stderr: Write the same lines to stderr, too.
        watch: Called with each event.
        seconds: Seconds from the first line of a file until another one is begun, however full it is.

    Returns:
        What ends it and closes the file.

    Raises:
        OSError: If the file cannot be written.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = logging.Logger("pigpen")
    lines.addHandler(_Quiet(file, seconds))
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
