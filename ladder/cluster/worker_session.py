"""A worker's connection to a scheduler, from its beginning to its end: another one begins with nothing of it."""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import structlog
from distributed.comm.core import CommClosedError

from ladder.cluster.dask_setup import NonListeningWorker, security
from ladder.cluster.terms import (
    ACKNOWLEDGED,
    ANSWER,
    ANSWER_BYTES,
    CANCEL,
    PART_CHARACTERS,
    TOPIC,
    TURN_AWAY,
    ReportKind,
)
from ladder.worker.channel import Frame, MessageKind
from ladder.worker.service import answer_of

if TYPE_CHECKING:
    from pathlib import Path

    from ladder.cluster.certificates import Identity
    from ladder.cluster.facts import Facts
    from ladder.worker.task_worker import TaskWorker

FACTS_SECONDS = 3.0
"""Seconds between two reports of a worker's state; its scheduler acknowledges each of them."""
UNACKNOWLEDGED_SECONDS = 60.0
"""Seconds without an acknowledgement after which a scheduler counts as lost; the worker then looks for another one."""
START_SECONDS = 30.0
"""Seconds that it may take to be let in."""
CLOSE_SECONDS = 5.0
"""Seconds after which the connection to a scheduler that does not answer is closed without a message."""
BACKLOG_CHARACTERS = 1 << 20
"""Characters waiting to be sent from which on nothing is sent that may be lost."""
MORE_THREADS = 2
"""Tasks that Dask may run beyond the number of slots: which task waits for which is the coordinator's business."""

log = structlog.get_logger()


class WorkerSession:
    """One connection. Only for the thread of the event loop."""

    def __init__(self, address: str, identity: Identity, folder: Path, worker: TaskWorker, facts: Facts) -> None:
        """
        Prepare a connection.

        Args:
            address: The scheduler's.
            identity: Shows the scheduler who comes.
            folder: Takes Dask's files.
            worker: Plays the tasks.
            facts: What the worker reports of itself.
        """
        self.turned_away: str | None = None
        """Why the coordinator has refused this worker; None: it has not."""
        self._worker = worker
        self._facts = facts
        self._plays: dict[int, asyncio.Task[str]] = {}
        """What is played here, until it has ended and is cleared away."""
        self._open: set[int] = set()
        """Calls that are not answered yet."""
        self._all_answered = asyncio.Event()
        self._cancelled: set[int] = set()
        """Calls that were given up before they came."""
        self._dask = NonListeningWorker(
            address,
            name=f"{facts.name}-{secrets.token_hex(4)}",
            nthreads=facts.slots + MORE_THREADS,
            security=security(identity),
            dashboard=False,
            extensions={},
            death_timeout=START_SECONDS,
            host=_nowhere(),
            local_directory=str(folder),
            memory_limit=0,
        )
        self._dask.pigpen = self
        orders = {CANCEL: self._cancel, TURN_AWAY: self._turn_away, ACKNOWLEDGED: self._take_acknowledgement}
        self._dask.stream_handlers |= orders
        self._acknowledged = 0.0
        self._closing: asyncio.Task[None] | None = None

    async def join(self) -> None:
        """
        Be let in.

        Raises:
            OSError: If that fails.
            TimeoutError: If it takes too long.
        """
        try:
            await self._dask
        except BaseException:
            await self.close()
            raise
        await self._tell_facts()

    async def run(self) -> None:
        """Play what comes, until the connection ends or is not acknowledged; then everything has been given up."""
        self._acknowledged = time.monotonic()
        parts = [asyncio.create_task(self._dask.finished()), asyncio.create_task(self._keep_telling())]
        try:
            done, _ = await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
            for part in done:
                part.result()
        finally:
            for part in parts:
                part.cancel()
            await self.close()

    async def close(self) -> None:
        """Give up what is played, and close the connection; a cancelled caller does not stop that."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        await self.give_up()
        await self._dask.close(timeout=CLOSE_SECONDS, reason="pigpen-leaves")

    async def give_up(self) -> None:
        """Give up what is played here, and wait for its clean-up."""
        plays = list(self._plays.values())
        for play in plays:
            if not play.cancelling():
                play.cancel()
        if plays:
            await asyncio.wait(plays)

    async def leave(self) -> None:
        """Take nothing more, and wait until what is played here is finished."""
        self._facts.leaving = True
        await self._tell_facts()
        await asyncio.sleep(FACTS_SECONDS)  # what was on its way here when the coordinator received that
        while self._open:
            self._all_answered.clear()
            await self._all_answered.wait()

    @property
    def playing(self) -> int:
        """How many tasks are played here."""
        return len(self._open)

    def tell(self, kind: ReportKind, body: str) -> bool:
        """Send the coordinator a report, without waiting; False: there is no room for it now."""
        if kind in (ReportKind.LIVE, ReportKind.TRIAL) and self._is_behind:
            return False
        with suppress(CommClosedError):
            self._dask.log_event(TOPIC, {"kind": str(kind), "body": body})
            return True
        return False

    async def play(self, call: int, token: str, task: str) -> None:
        """Play a task and answer the call; Dask waits for it (`ladder.cluster.played`)."""
        self._open.add(call)
        play = self._plays[call] = asyncio.create_task(self._worker.play(task))
        play.add_done_callback(lambda _: self._plays.pop(call, None))
        if call in self._cancelled:
            play.cancel()
        try:
            await asyncio.wait([play])
            await self._answer(token, answer_of(call, play))
        except OSError:
            # Without its answer the end of the task would look like a lie.
            asyncio.get_running_loop().create_task(self._dask.close(reason="pigpen-answer-lost"))
        finally:
            self._open.discard(call)
            self._all_answered.set()
            if not play.done():  # Dask has cancelled it
                play.cancel()

    async def _answer(self, token: str, answer: Frame) -> None:
        if len(answer.body.encode()) > ANSWER_BYTES:
            answer = Frame(MessageKind.FAILURE, answer.call, f"The answer is longer than {ANSWER_BYTES >> 20} MiB.")
        await self._flush()  # reports on the task: after its answer they are not taken any more
        body = answer.body
        send = getattr(self._dask.scheduler, ANSWER)
        sent = 0
        while len(body) - sent > PART_CHARACTERS:
            await send(call=answer.call, token=token, part=body[sent : sent + PART_CHARACTERS])
            sent += PART_CHARACTERS
        await send(call=answer.call, token=token, part=body[sent:], kind=str(answer.kind))

    async def _flush(self) -> None:
        """Wait until reports are sent, which takes Dask 2 ms; give up after 0.1 s."""
        for _ in range(100):
            if not self._dask.batched_stream.buffer:
                return
            await asyncio.sleep(0.001)

    def _cancel(self, call: int) -> None:
        if (play := self._plays.get(call)) is None:
            self._cancelled.add(call)
        elif not play.cancelling():
            play.cancel()

    def _turn_away(self, sentence: str) -> None:
        self.turned_away = sentence

    async def _keep_telling(self) -> None:
        while time.monotonic() - self._acknowledged < UNACKNOWLEDGED_SECONDS:
            await asyncio.sleep(FACTS_SECONDS)
            await self._tell_facts()

    async def _tell_facts(self) -> None:
        facts = await self._facts.latest(FACTS_SECONDS)
        self.tell(ReportKind.FACTS, facts.model_dump_json())

    def _take_acknowledgement(self) -> None:
        self._acknowledged = time.monotonic()

    @property
    def _is_behind(self) -> bool:
        waiting = (each.get("msg") for each in self._dask.batched_stream.buffer if isinstance(each, dict))
        return sum(len(each["body"]) for each in waiting if isinstance(each, dict)) > BACKLOG_CHARACTERS


def _nowhere() -> str:
    """A random loopback address that names this worker: Dask's workers listen, ours need not."""
    return ".".join(map(str, (127, *(random.randrange(1, 255) for _ in range(3)))))
