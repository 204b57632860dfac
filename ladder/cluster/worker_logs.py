"""
Lines for the log that come from other machines: checked, counted, and never taken for the coordinator's own.

A scheduler checks and counts the lines of its workers with `log_line` and a `LogLimit`. The coordinator believes
neither of them: `foreign_event` is what it writes down.
"""

from __future__ import annotations

import json
import re
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

LEVELS = ("debug", "info", "warning", "error", "critical", "exception")
LINE_CHARACTERS = 64 << 10
"""A line that is longer is dropped."""
OURS = ("timestamp", "worker_name")
"""Fields that no worker may set, because the ladder does."""
BURST_LINES, LINES_A_SECOND = 200.0, 5.0
"""Limits of one worker: lines at once, and lines a second in the long run."""
MAX_BURST_LINES, MAX_LINES_A_SECOND = 2000.0, 200.0
"""Limits of all workers together."""
CHARACTERS_A_LINE = 1000
"""A longer line counts as several."""
REPORT_SECONDS = 10.0
"""Seconds between two reports of how many lines were dropped."""
MAX_FIELDS = 40
MAX_CHARACTERS = 8000
"""Of one value; a traceback has room in it."""
EVENT_CHARACTERS = 200
_FIELD = re.compile(r"[a-z][a-z0-9_]{0,39}")
_MEANS_SOMETHING = frozenset({"event", "exc_info", "level", "method_name", "self", "source", "stack_info", "timestamp"})
"""Names of fields that a logger, or a reader of the log, takes for something else."""


class ForeignEvent(NamedTuple):
    """An event in the log of another process."""

    level: str
    name: str
    fields: dict[str, object]
    """With `source`: ``worker`` or ``scheduler``."""


class LogLimit:
    """A limit of log lines a second. A long line counts as several; an unused allowance may be spent in one burst."""

    def __init__(
        self,
        burst: float = BURST_LINES,
        a_second: float = LINES_A_SECOND,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """
        Begin with a full allowance.

        Args:
            burst: Lines that may come at once.
            a_second: Lines a second that may come in the long run.
            clock: Never goes back; seconds.
        """
        self._burst = self._left = burst
        self._a_second = a_second
        self._clock = clock
        self._refilled = clock()
        self._reported = float("-inf")
        self._dropped = 0

    def lets(self, characters: int) -> bool:
        """Tell whether a line of *characters* characters may pass; if not, it is counted as dropped."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._refilled) * self._a_second)
        self._refilled = now
        lines = 1 + characters // CHARACTERS_A_LINE
        if self._left < lines:
            self.drop()
            return False
        self._left -= lines
        return True

    def drop(self) -> None:
        """Count a line that does not pass for another reason."""
        self._dropped += 1

    def dropped(self) -> int:
        """Count the lines dropped since the last report, if it is time for one; then counting starts again."""
        now = self._clock()
        if not self._dropped or now - self._reported < REPORT_SECONDS:
            return 0
        self._reported, dropped, self._dropped = now, self._dropped, 0
        return dropped


def log_line(body: str, name: str) -> str | None:
    """
    Check a line for the log, and add the name of the worker that wrote it; None if it is none.

    Args:
        body: The event, as JSON.
        name: The worker's.
    """
    if len(body) > LINE_CHARACTERS:
        return None
    with suppress(ValueError, RecursionError):
        event = json.loads(body)
        if isinstance(event, dict) and event.get("level") in LEVELS and isinstance(event.get("event"), str):
            kept = {key: value for key, value in event.items() if key not in OURS}
            return json.dumps(kept | {"worker_name": name})
    return None


def dropped_line(number: int, name: str) -> str:
    """Say how many lines of a worker were dropped."""
    return json.dumps({"level": "warning", "event": "worker.log_dropped", "lines": number, "worker_name": name})


def foreign_event(body: str) -> ForeignEvent | None:
    """
    Read a line that a scheduler has sent; None if it is none.

    Whatever the line holds, the result has a bounded length, can be logged, and does not look like an event of this
    process.

    >>> foreign_event('{"level": "info", "event": "match.finished", "worker_name": "sty", "self": 1}')
    ForeignEvent(level='info', name='match.finished', fields={'worker_name': 'sty', 'source': 'worker'})
    """
    with suppress(ValueError, RecursionError):
        event = json.loads(body)
        if not isinstance(event, dict) or event.get("level") not in LEVELS or not isinstance(event.get("event"), str):
            return None
        level = "error" if event["level"] == "exception" else str(event["level"])
        names = [name for name in event if _FIELD.fullmatch(name) and name not in _MEANS_SOMETHING][:MAX_FIELDS]
        source = "worker" if "worker_name" in names else "scheduler"
        fields = {name: _cut(event[name]) for name in names}
        return ForeignEvent(level, event["event"][:EVENT_CHARACTERS], {**fields, "source": source})
    return None


def _cut(value: object) -> object:
    if isinstance(value, int | float | None):
        return value
    text = value if isinstance(value, str) else json.dumps(value)  # what is nested deeply could not be written
    return text if len(text) <= MAX_CHARACTERS else text[:MAX_CHARACTERS] + "…"
