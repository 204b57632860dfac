"""
The command `pigpen`, with less patience, and sometimes with a mistake: `python -m tests.e2e.chaos.program KIND WORDS`.

A KIND is one of `KINDS`. What a test would wait minutes for takes seconds here; nothing else is other than it is.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pigpen.version
from ladder.cli.entry import main
from ladder.worker.calibration_match import play_calibration_match
from ladder.worker.channel import Frame, MessageKind
from ladder.worker.match_tasks import MatchOutcome
from ladder.worker.worker_pool import WorkerPool
from referee.records.file import PackedRecord, read_record
from referee.records.lines import ResultLine

if TYPE_CHECKING:
    from ladder.cluster.worker_session import WorkerSession

TTL = 8.0
"""Seconds after which a worker that is not heard of has gone."""
JOIN = 15.0
"""Seconds that it may take a worker to be let in."""
MATCH_SECONDS = 12.0
"""Seconds that a match may take, whatever the bots' clocks allow: these are patient, so that no bot is blamed."""
GRACE = 5.0
"""Seconds between the end of a match's time and that of its lease."""
CALIBRATION = "PIGPEN_CHAOS_CALIBRATION"
"""The variable that names the file with the record of the calibration match."""

Lie = Callable[[str], str]
"""Makes another answer of the true one."""


def changed(answer: str) -> str:
    """The record has other points, and a chain that is right."""
    lines = list(_lines(answer))
    last = lines[-1]
    assert isinstance(last, ResultLine)
    better = last.results[0].model_copy(update={"total": last.results[0].total - 1})
    lines[-1] = last.model_copy(update={"results": (better, *last.results[1:])})
    return _with_record(answer, lines)


def another(answer: str, seen: list[bytes]) -> str:
    """The record is the one of the match before."""
    outcome = MatchOutcome.model_validate_json(answer)
    assert outcome.record is not None
    seen.append(outcome.record)
    return outcome.model_copy(update={"record": seen[0]}).model_dump_json()


def misnumbered(answer: str) -> str:
    """It is the answer to another match."""
    outcome = MatchOutcome.model_validate_json(answer)
    return outcome.model_copy(update={"match": outcome.match + 1}).model_dump_json()


LIES: dict[str, Callable[[], Lie]] = {
    "changed record": lambda: changed,
    "another match's record": lambda: partial(another, seen=[]),
    "another match's number": lambda: misnumbered,
    "garbage": lambda: lambda answer: "\0" + answer[:100],
}


ENDLESS = "a gigabyte of answer"


def lie_endlessly() -> None:
    """Send a gigabyte, part by part, in place of each match's answer."""
    from ladder.cluster.terms import ANSWER
    from ladder.cluster.worker_session import WorkerSession

    send_answer = WorkerSession._send

    async def endless(self: WorkerSession, answer: Frame, token: str) -> None:
        if answer.kind is MessageKind.ANSWER and json.loads(answer.body).get("match"):
            send, part = getattr(self._dask.scheduler, ANSWER), "x" * (1 << 20)
            for _ in range(1024):
                await send(call=answer.call, token=token, part=part, kind="")
        await send_answer(self, answer, token)

    WorkerSession._send = endless  # type: ignore[method-assign]


def _lines(answer: str) -> list[Any]:
    outcome = MatchOutcome.model_validate_json(answer)
    assert outcome.record is not None
    with tempfile.NamedTemporaryFile(suffix=".jsonl.gz") as file:
        file.write(outcome.record)
        file.flush()
        return list(read_record(Path(file.name)))


def _with_record(answer: str, lines: list[Any]) -> str:
    record = PackedRecord()
    for line in lines:
        record.write(line)
    return MatchOutcome.model_validate_json(answer).model_copy(update={"record": bytes(record)}).model_dump_json()


def lie(kind: str) -> None:
    """Let every answer of a match be a lie; the calibration match is played as it should be."""
    tell_lie, play = LIES[kind](), WorkerPool.play

    async def lying(self: WorkerPool, task: str) -> str:
        answer = await play(self, task)
        try:
            is_match = json.loads(task)["kind"] == "match"
            return await asyncio.to_thread(tell_lie, answer) if is_match else answer
        except (AssertionError, ValueError):  # it was void, which is no lie
            return answer

    WorkerPool.play = lying  # type: ignore[method-assign]


def be_a_hasty_worker() -> None:
    """Wait for seconds, and not for minutes."""
    import ladder.cluster.worker_program
    import ladder.cluster.worker_session

    ladder.cluster.worker_program.FIRST_WAIT = 0.2
    ladder.cluster.worker_program.LONGEST_WAIT = 1.0
    ladder.cluster.worker_session.START_SECONDS = JOIN


def be_a_hasty_coordinator() -> None:
    """Wait for seconds, and not for minutes."""
    import ladder.runner.coordinator
    import ladder.runner.task_work
    import ladder.store.commands.queue
    import ladder.store.commands.submission_queue
    from ladder.cluster.scheduler_process import SchedulerProcess
    from ladder.runner.calibration import Calibration

    for module in (
        ladder.store.commands.queue,
        ladder.store.commands.submission_queue,
        ladder.runner.task_work,
    ):
        module.GRACE = GRACE  # type: ignore[attr-defined]
    ladder.runner.coordinator.seconds_of = lambda *args, **kwargs: MATCH_SECONDS  # type: ignore[attr-defined]
    SchedulerProcess.start.__func__.__kwdefaults__["ttl_seconds"] = TTL  # type: ignore[attr-defined]
    Calibration.__init__.__defaults__ = (known_calibration,)


def be_old() -> None:
    """Be of another version."""
    import ladder.cluster.worker_facts

    ladder.cluster.worker_facts.__version__ = pigpen.version.__version__ + ".dev1"  # type: ignore[attr-defined]


async def known_calibration() -> bytes:
    """The record of the calibration match, which is played once for all programs of a test: it takes seconds."""
    record = Path(os.environ[CALIBRATION])
    if not record.exists():
        with tempfile.NamedTemporaryFile(dir=record.parent, delete=False) as file:
            file.write(await play_calibration_match())
        Path(file.name).rename(record)
    return record.read_bytes()


def calibrate_once() -> None:
    """Answer a calibration with `known_calibration`: it is not the point."""
    play = WorkerPool.play

    async def played(self: WorkerPool, task: str) -> str:
        if json.loads(task)["kind"] == "calibration":
            return MatchOutcome(match=0, attempt=0, record=await known_calibration()).model_dump_json()
        return await play(self, task)

    WorkerPool.play = played  # type: ignore[method-assign]


KINDS: dict[str, Callable[[], None]] = {
    "hasty": lambda: None,
    "old": be_old,
    **{kind: partial(lie, kind) for kind in LIES},
    ENDLESS: lie_endlessly,
}

if __name__ == "__main__":
    kind = sys.argv.pop(1)
    if sys.argv[1] == "worker":
        be_a_hasty_worker()
        calibrate_once()
        KINDS[kind]()
    else:  # what the other one loads takes a second
        be_a_hasty_coordinator()
    main()
