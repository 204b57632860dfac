"""A worker's connection to a scheduler, from its beginning to its end: another one begins with nothing of it."""

from __future__ import annotations

import asyncio
import random
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

import structlog
from distributed.comm.core import CommClosedError

from ladder.cluster.dask_setup import NonListeningWorker, security
from ladder.cluster.terms import (
    ANSWER,
    ANSWER_BYTES,
    CANCEL,
    PART_CHARACTERS,
    PLAY,
    TOPIC,
    TURN_AWAY,
)
from ladder.worker.channel import Frame, MessageKind
from ladder.worker.service import Service, give_up

if TYPE_CHECKING:
    from pathlib import Path

    from ladder.cluster.certificates import Identity
    from ladder.cluster.worker_facts import Facts
    from ladder.worker.service import TaskWorker

FACTS_SECONDS = 3.0
"""Seconds between two reports of a worker's state."""
START_SECONDS = 30.0
"""Seconds that it may take to be let in."""
CLOSE_SECONDS = 5.0
"""Seconds after which the connection to a scheduler that does not answer is closed without a message."""
BACKLOG_CHARACTERS = 1 << 20
"""Characters waiting to be sent from which on nothing is sent that may be lost."""

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
        """The reason for which the coordinator has refused this worker; None: it has not."""
        self._service = Service(worker, self._begin_to_answer)
        self._facts = facts
        self._tokens: dict[int, str] = {}
        """Tokens that the answers must show, by the number of each call that is not answered yet."""
        self._all_answered = asyncio.Event()
        self._answering: set[asyncio.Task[None]] = set()
        self._dask = NonListeningWorker(
            address,
            name=f"{facts.name}-{secrets.token_hex(4)}",
            nthreads=1,
            security=security(identity),
            dashboard=False,
            extensions={},
            death_timeout=START_SECONDS,
            host=_nowhere(),
            local_directory=str(folder),
            memory_limit=0,
        )
        self._dask.stream_handlers |= {
            PLAY: self._play,
            CANCEL: self._cancel,
            TURN_AWAY: self._turn_away,
        }
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
        """Play what comes, until the connection ends; then everything has been given up."""
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
        await give_up(self._service.working)
        await self._dask.close(timeout=CLOSE_SECONDS, reason="pigpen-leaves")

    async def leave(self) -> None:
        """Take nothing more, and wait until what is played here is finished."""
        self._facts.leaving = True
        await self._tell_facts()
        await asyncio.sleep(FACTS_SECONDS)  # what was on its way here when the coordinator received that
        while self._tokens:
            self._all_answered.clear()
            await self._all_answered.wait()

    @property
    def playing(self) -> int:
        """Number of tasks that are played here."""
        return len(self._tokens)

    def tell(self, kind: MessageKind, body: str) -> bool:
        """Send the coordinator a report, without waiting; False: there is no room for it now."""
        if kind in (MessageKind.LIVE, MessageKind.TRIAL) and self._is_behind:
            return False
        with suppress(CommClosedError):
            self._dask.log_event(TOPIC, {"kind": str(kind), "body": body})
            return True
        return False

    def _play(self, call: int, token: str, task: str) -> None:
        self._tokens[call] = token
        self._service.take(Frame(MessageKind.PLAY, call, task))

    def _begin_to_answer(self, answer: Frame) -> None:
        if len(answer.body.encode()) > ANSWER_BYTES:
            raise ValueError(f"it is longer than {ANSWER_BYTES >> 20} MiB")
        answering = asyncio.create_task(self._answer(answer))
        self._answering.add(answering)
        answering.add_done_callback(self._answering.discard)

    async def _answer(self, answer: Frame) -> None:
        try:
            await self._flush()  # reports on the task: after its answer they are not taken any more
            await self._send(answer, self._tokens[answer.call])
        except Exception as error:  # the coordinator would wait for the answer
            if not isinstance(error, OSError):
                log.exception("worker.failed", call=answer.call)
            await self._dask.close(reason="pigpen-answer-lost")
        finally:
            del self._tokens[answer.call]
            self._all_answered.set()

    async def _send(self, answer: Frame, token: str) -> None:
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
        self._service.take(Frame(MessageKind.CANCEL, call))

    def _turn_away(self, sentence: str) -> None:
        self.turned_away = sentence

    async def _keep_telling(self) -> None:
        while True:
            await asyncio.sleep(FACTS_SECONDS)
            await self._tell_facts()

    async def _tell_facts(self) -> None:
        facts = await self._facts.latest(FACTS_SECONDS)
        self.tell(MessageKind.FACTS, facts.model_dump_json())

    @property
    def _is_behind(self) -> bool:
        waiting = (each.get("msg") for each in self._dask.batched_stream.buffer if isinstance(each, dict))
        return sum(len(each["body"]) for each in waiting if isinstance(each, dict)) > BACKLOG_CHARACTERS


def _nowhere() -> str:
    """Draw a random loopback address that names this worker: Dask's workers listen, ours need not."""
    return ".".join(map(str, (127, *(random.randrange(1, 255) for _ in range(3)))))
