"""
Connections of a dispatcher with workers that may lie: their calls, reports, answers and log lines.

Each `WorkerConnection` has the calls of one worker; the worker may report on the subjects of these calls. A
`PartedAnswer` is an answer that comes in parts.

Lines for the log that come from other machines are checked, counted, and never taken for the coordinator's own. A
scheduler checks and counts the lines of its workers with `log_line` and a `LogLimit`. The coordinator believes neither
of them: `foreign_event` is what it writes down.
"""

from __future__ import annotations

import json
import re
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ladder.cluster.terms import ANSWER_BYTES
from ladder.worker.channel import Frame, MessageKind, live_events

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from ladder.values.cluster import WorkerFacts

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


KINDS = (MessageKind.ANSWER, MessageKind.FAILURE, MessageKind.CANCELLED)
"""The kinds of messages with which a worker may answer."""


class AnswerTooLong(Exception):
    """More has come than any answer has."""


class PartedAnswer:
    """One answer, received in parts."""

    def __init__(self, token: str, max_bytes: int = ANSWER_BYTES) -> None:
        self.token = token
        """Only the worker that was asked has it."""
        self._max_bytes = max_bytes
        self._bytes = 0
        self._parts: list[bytes] = []

    def take(self, call: int, part: str, kind: str) -> Frame | None:
        """
        Take the next part.

        Args:
            call: The number for the frame.
            part: Of the text.
            kind: With the last part; empty: there are more.

        Returns:
            The whole, when the last part has come.

        Raises:
            AnswerTooLong: If that is more than an answer may have.
            ValueError: If it is no text, or of no kind that a worker may answer.
            TypeError: If it is no text.
        """
        if not isinstance(part, str) or (kind and kind not in KINDS):
            raise TypeError("It answered something that can be no answer.")
        self._parts.append(part.encode())
        self._bytes += len(self._parts[-1])
        if self._bytes > self._max_bytes:
            self._parts = []
            raise AnswerTooLong(f"Its answer is longer than {self._max_bytes >> 20} MiB.")
        if not kind:
            return None
        return Frame(MessageKind(kind), call, b"".join(self._parts).decode())


MAX_READ = 1 << 20
"""Characters of a task beyond which it is not parsed: it holds files, and sends no reports while it is worked at."""


@dataclass(eq=False)
class WorkerConnection:
    """A worker that has sent its name."""

    address: str
    """Dask's name for the connection."""
    name: str
    """The coordinator's name for the worker: where its packets come from."""
    facts: WorkerFacts
    lines: LogLimit
    calls: set[int] = field(default_factory=set)


@dataclass(eq=False)
class WorkerCall:
    """A task that a worker has."""

    connection: WorkerConnection
    answer: PartedAnswer
    subject: tuple[str, object, object]
    """The subject of the task: its kind, its number, its attempt."""
    limit: asyncio.TimerHandle | None = None
    """Cuts the worker off if it does not give up the call."""


def subject_of(task: str) -> tuple[str, object, object]:
    """Give what a task is about: its kind, its number, its attempt."""
    if len(task) > MAX_READ:
        return "", None, None
    read = json.loads(task)
    kind = str(read.get("kind"))
    return kind, read.get(kind), read.get("attempt")


def about(kind: str, body: str) -> tuple[str, object, object] | None:
    """Give what a report is about, as `subject_of` does; None: the report is not valid."""
    try:
        if kind == MessageKind.LIVE:
            return "match", *live_events(body)[:2]
        if kind == MessageKind.TRIAL:
            read = json.loads(body)
            return "submission", read["submission"], read["attempt"]
    except (ValueError, LookupError, TypeError, RecursionError):
        pass
    return None
