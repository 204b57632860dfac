"""The workers that a dispatcher knows, the calls that they have, and what they may report on."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ladder.worker.channel import MessageKind, live_events

if TYPE_CHECKING:
    import asyncio

    from ladder.cluster.answers import PartedAnswer
    from ladder.cluster.worker_logs import LogLimit
    from ladder.values.cluster import WorkerFacts

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
