"""One worker process, as the coordinator sees it."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import socket
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import structlog

from ladder.errors import SandboxError
from ladder.sandbox.host import owners
from ladder.worker.channel import Channel, Frame, MessageKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    TakeEvents = Callable[[int, int, str], None]
    """Takes the match, the attempt, and events as lines of JSON; it never fails."""
    TakeProgress = Callable[[str], None]
    """Takes a `TrialProgress` as JSON; it never fails."""

PROGRAM = "ladder.worker.process"
SECRETS = ("PIGPEN_DATABASE_URL", "PGPASSWORD", "PIGPEN_OIDC_SECRET")
"""Variables with passwords that are no worker's business."""
OBEY_SECONDS = 25.0
"""A worker that has not followed an order to stop after so many seconds is killed."""

log = structlog.get_logger()


class WorkerProcess:
    """A process that plays tasks. Only for the thread of the event loop that started it."""

    def __init__(
        self,
        number: int,
        process: subprocess.Popen[bytes],
        channel: Channel,
        take_events: TakeEvents | None = None,
        take_progress: TakeProgress | None = None,
        obey_seconds: float = OBEY_SECONDS,
    ) -> None:
        self.pid = process.pid
        self._name = {"worker": number, "pid": process.pid}
        self._process = process
        self._channel = channel
        self._take_events = take_events
        self._take_progress = take_progress
        self._obey_seconds = obey_seconds
        self._numbers = itertools.count(1)
        self._calls: dict[int, asyncio.Future[str]] = {}
        self._is_closing = False
        self._listening = asyncio.ensure_future(self._listen())

    @classmethod
    async def start(
        cls,
        number: int,
        count: int,
        take_events: TakeEvents | None = None,
        take_progress: TakeProgress | None = None,
        *,
        obey_seconds: float = OBEY_SECONDS,
    ) -> WorkerProcess:
        """
        Start one, as a new program: a fork would take over locks that are held, and threads of gRPC that are not there.

        Args:
            number: Of this worker, from 0.
            count: Number of workers on this machine.
            take_events: Hears of the matches that it plays.
            take_progress: Hears how far its trials have come.
            obey_seconds: How long it may take to follow an order to stop before it is killed.

        Raises:
            SandboxError: If the system lets no process start.
        """
        ours, theirs = socket.socketpair()
        words = (theirs.fileno(), number, count, owners.this_process())
        try:
            with theirs:
                process = _start([PROGRAM, *map(str, words)], theirs)
            started = cls(number, process, await Channel.over(ours), take_events, take_progress, obey_seconds)
        except BaseException as error:
            ours.close()  # it ends, if it has begun
            if not isinstance(error, OSError):
                raise
            raise SandboxError(f"No worker process can be started: {error}") from error
        log.info("worker.started", **started._name)
        return started

    @property
    def has_ended(self) -> bool:
        """Whether it takes no calls any more."""
        return self._is_closing or self._listening.done()

    async def call(self, kind: MessageKind, body: str = "") -> str:
        """
        Let it do something, and give its answer; cancelled, wait until it has given that up and cleared away.

        Raises:
            SandboxError: If that failed, or the process has ended.
        """
        if self.has_ended:
            raise SandboxError(self._sentence())
        number = next(self._numbers)
        answer = self._calls[number] = asyncio.get_running_loop().create_future()
        self._channel.send(Frame(kind, number, body))
        try:
            return await asyncio.shield(answer)
        except asyncio.CancelledError:
            await self._give_up(number, answer)
            raise
        finally:
            self._calls.pop(number, None)

    async def close(self) -> None:
        """Let it give everything up, clean up and end; kill it if it does not."""
        self._is_closing = True
        self._channel.end()
        _, late = await asyncio.wait([self._listening], timeout=self._obey_seconds)
        if late:
            self.kill()
            await self._listening

    def kill(self) -> None:
        """Kill it; whatever it leaves is removed by the next process that plays."""
        self._process.kill()

    async def _give_up(self, number: int, answer: asyncio.Future[str]) -> None:
        if not answer.done():
            self._channel.send(Frame(MessageKind.CANCEL, number))
        _, late = await asyncio.wait([answer], timeout=self._obey_seconds)
        if late:
            log.warning("worker.hangs", **self._name)
            self.kill()
        elif not answer.cancelled():
            answer.exception()  # nobody wants to know any more

    async def _listen(self) -> None:
        with suppress(ValueError, LookupError, TypeError, AttributeError):  # it does not speak our language
            while (message := await self._channel.receive()) is not None:
                self._take(message)
        if not self._is_closing:
            self.kill()  # what cannot answer any more is of no use
        await asyncio.to_thread(self._process.wait)
        await self._channel.close()
        if not self._is_closing:
            log.warning("worker.lost", **self._name, reason=self._sentence(), playing=len(self._calls))
        for answer in self._calls.values():
            if not answer.done():
                answer.set_exception(SandboxError(self._sentence()))

    def _take(self, message: Frame) -> None:
        if message.kind is MessageKind.LOG:
            self._log(json.loads(message.body))
        elif message.kind is MessageKind.LIVE:
            self._pass_on(message.body)
        elif message.kind is MessageKind.TRIAL:
            if self._take_progress:  # which writes to the database, and may wait for its turn
                asyncio.get_running_loop().run_in_executor(None, self._take_progress, message.body)
        elif (answer := self._calls.get(message.call)) is None or answer.done():
            return
        elif message.kind is MessageKind.ANSWER:
            answer.set_result(message.body)
        elif message.kind is MessageKind.FAILURE:
            answer.set_exception(SandboxError(message.body))
        else:
            answer.cancel()

    def _pass_on(self, body: str) -> None:
        head, _, batch = body.partition("\n")
        match, attempt = map(int, head.split(" "))
        if self._take_events:
            self._take_events(match, attempt, batch)

    def _log(self, event: dict[str, object]) -> None:
        level, name = str(event.pop("level")), str(event.pop("event"))
        getattr(log, level)(name, **event | self._name)

    def _sentence(self) -> str:
        code = self._process.returncode
        how = "is ending" if code is None else f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
        return f"Worker {self._name['worker']} (process {self.pid}) {how}."


def _start(words: Sequence[str], theirs: socket.socket) -> subprocess.Popen[bytes]:
    """Start a Python module; in a session of its own, where a terminal's Ctrl-C does not come."""
    # Not asyncio's: there a process that ends while it is being killed may lose its exit code.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        pass_fds=[theirs.fileno()],
        env={name: value for name, value in os.environ.items() if name.upper() not in SECRETS},
        start_new_session=True,
    )
