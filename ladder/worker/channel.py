"""
Messages over a pair of connected Unix sockets, and the child processes that take calls over them.

A `Channel` connects a coordinator with a worker process, or with its cluster's scheduler. A message is its length in
bytes (4 bytes, big-endian), then a line with its kind and the number of the call that it belongs to, then its body:
text, as UTF-8. Nothing is unpickled. A `ChildProcess` is a process that this one has started.
"""

from __future__ import annotations

import asyncio
import enum
import itertools
import os
import socket
import subprocess
import sys
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from ladder.errors import SandboxError

if TYPE_CHECKING:
    from collections.abc import Sequence

LENGTH_BYTES = 4
FRAME_BYTES = 128 << 20
"""Bytes of a message at most: an answer holds a record of 64 MiB in base64, and the logs of bots."""
BACKLOG_BYTES = 1 << 20
"""Bytes waiting for the other end from which on nothing is sent that can wait."""


class MessageKind(enum.StrEnum):
    """The kind of a message: PLAY, READY and CANCEL go to the worker, the next six come from it."""

    PLAY = "play"
    """Play the `MatchTask` in the body."""
    READY = "ready"
    """Check whether tasks can be played."""
    CANCEL = "cancel"
    """Give up the call of that number."""
    ANSWER = "answer"
    """The result of the call: a `MatchOutcome`; nothing for READY."""
    FAILURE = "failure"
    """The reason that the call has failed, in a sentence."""
    CANCELLED = "cancelled"
    """The call was given up, and what it had started is cleared away."""
    LOG = "log"
    """A line for the log, as JSON; the number of the call is 0."""
    TRIAL = "trial"
    """The progress of a trial: a `TrialProgress`; the number of the call is 0."""
    PROGRESS = "progress"
    """Only from a computer: how many steps of the call are done, and how many there are; the call's number is 0."""
    LIVE = "live"
    """Events of a match (`live_body`), as lines of JSON without their `id`; the number of the call is 0."""
    PLAY_AT = "play-at"
    """Only to a scheduler: the connection of a worker (`WorkerReport`) in a line, then the task that it is to play."""
    TURN_AWAY = "turn-away"
    """Only to a scheduler: a line with the connection of a worker, then a sentence; the number of the call is 0."""
    FACTS = "facts"
    """Only to a scheduler, from a worker: its `WorkerFacts`."""
    WORKER = "worker"
    """Only from a scheduler: a `WorkerReport`; the number of the call is 0."""
    LOST = "lost"
    """Only from a scheduler: the worker that had the call is lost; why, in a sentence."""
    INVALID = "invalid"
    """Only from a scheduler: what the worker answered to the call can be no answer; why, in a sentence."""


class Frame(NamedTuple):
    """One message."""

    kind: MessageKind
    call: int
    """The coordinator numbers its calls from 1."""
    body: str = ""


class Channel:
    """One end of the connection. Only for the thread of the event loop."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def over(cls, connected: socket.socket) -> Channel:
        """Take over a connected socket."""
        return cls(*await asyncio.open_unix_connection(sock=connected))

    def send(self, message: Frame) -> None:
        """
        Send without waiting; the message is lost if the other end has closed.

        Raises:
            ValueError: If it is longer than a message may be.
        """
        frame = f"{message.kind} {message.call}\n{message.body}".encode()
        _check(len(frame))
        self._writer.write(len(frame).to_bytes(LENGTH_BYTES) + frame)

    @property
    def is_behind(self) -> bool:
        """True if more than `BACKLOG_BYTES` wait for the other end."""
        return self._writer.transport.get_write_buffer_size() > BACKLOG_BYTES

    async def receive(self) -> Frame | None:
        """
        Wait for the next message; None: the other end has closed.

        Raises:
            ValueError: If what comes is no message.
        """
        try:
            length = int.from_bytes(await self._reader.readexactly(LENGTH_BYTES))
            _check(length)
            frame = await self._reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        head, _, body = frame.decode().partition("\n")
        kind, call = head.split(" ")
        return Frame(MessageKind(kind), int(call), body)

    def end(self) -> None:
        """Close the sending side; messages from the other end can still be received."""
        if not self._writer.is_closing():
            self._writer.write_eof()

    async def close(self) -> None:
        """Close the socket, once everything is sent."""
        self._writer.close()
        with suppress(ConnectionError):
            await self._writer.wait_closed()


def live_body(match: int, attempt: int, batch: str) -> str:
    """Give the body of a LIVE message."""
    return f"{match} {attempt}\n{batch}"


def live_events(body: str) -> tuple[int, int, str]:
    """
    Read the body of a LIVE message: match, attempt, and events as lines of JSON.

    Raises:
        ValueError: If it is none.
    """
    head, _, batch = body.partition("\n")
    match, attempt = map(int, head.split(" "))
    return match, attempt, batch


def _check(length: int) -> None:
    if length > FRAME_BYTES:
        raise ValueError(f"a message of {length} bytes is longer than {FRAME_BYTES}")


SECRETS = ("PIGPEN_DATABASE_URL", "PGPASSWORD", "PIGPEN_OIDC_SECRET")
"""Variables with passwords that are no worker's business."""
OBEY_SECONDS = 25.0
"""Seconds that a process may take to follow an order to stop; then it is killed."""


class ChildProcess(ABC):
    """A process that takes calls. Only for the thread of the event loop that started it."""

    def __init__(self, process: subprocess.Popen[bytes], channel: Channel, obey_seconds: float = OBEY_SECONDS) -> None:
        self.pid = process.pid
        self._process = process
        self._channel = channel
        self._obey_seconds = obey_seconds
        self._numbers = itertools.count(1)
        self._calls: dict[int, asyncio.Future[str]] = {}
        self._given_up: set[int] = set()
        self._is_closing = False
        self._listening = asyncio.ensure_future(self._listen())

    @property
    def has_ended(self) -> bool:
        """True if it takes no calls any more."""
        return self._is_closing or self._listening.done()

    async def call(self, kind: MessageKind, body: str = "") -> str:
        """
        Let it do something, and give its answer; if cancelled, wait until it has given that up and cleaned up.

        Raises:
            SandboxError: If that failed, or the process has ended.
        """
        if self.has_ended:
            raise self._lost()
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
            self._given_up.discard(number)

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

    @abstractmethod
    def _receive(self, message: Frame) -> None:
        """Take a message that answers no call."""

    @abstractmethod
    def _missed(self, playing: int) -> None:
        """Log that it has ended unasked, and that it had *playing* calls."""

    @abstractmethod
    def _sentence(self) -> str:
        """Say how it has ended."""

    def _lost(self) -> SandboxError:
        """Make the error of a call because the process has ended."""
        return SandboxError(self._sentence())

    def _failed(self, message: Frame) -> SandboxError:
        """Make the error of a call from that message."""
        return SandboxError(message.body or "It gave up a call unasked.")

    async def _give_up(self, number: int, answer: asyncio.Future[str]) -> None:
        """Let it give up a call; kill it if it does not."""
        if await self._gives_up(number, answer):
            return
        self._hangs()
        self.kill()

    @abstractmethod
    def _hangs(self) -> None:
        """Log that it does not follow an order."""

    async def _gives_up(self, number: int, answer: asyncio.Future[str]) -> bool:
        if not answer.done() and not self._is_closing:  # one that is closed gives everything up anyway
            self._given_up.add(number)
            self._channel.send(Frame(MessageKind.CANCEL, number))
        _, late = await asyncio.wait([answer], timeout=self._obey_seconds)
        if not late and not answer.cancelled():
            answer.exception()  # marks its exception as retrieved
        return not late

    async def _listen(self) -> None:
        with suppress(ValueError, LookupError, TypeError, AttributeError):  # it sends what is no message of ours
            while (message := await self._channel.receive()) is not None:
                self._take(message)
        if not self._is_closing:
            self.kill()  # it cannot answer any more
        await asyncio.to_thread(self._process.wait)
        await self._channel.close()
        if not self._is_closing:
            self._missed(len(self._calls))
        for answer in self._calls.values():
            if not answer.done():
                answer.set_exception(self._lost())

    def _take(self, message: Frame) -> None:
        if not message.call:
            self._receive(message)
        elif (answer := self._calls.get(message.call)) is None or answer.done():
            return
        elif message.kind is MessageKind.ANSWER:
            answer.set_result(message.body)
        elif message.kind is MessageKind.CANCELLED and (self._is_closing or message.call in self._given_up):
            answer.cancel()
        else:
            answer.set_exception(self._failed(message))

    def _how(self) -> str:
        code = self._process.returncode
        return (
            "is ending" if code is None else f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
        )


async def start_program(words: Sequence[object], name: str) -> tuple[subprocess.Popen[bytes], Channel]:
    """
    Start a module of Python as a process, and connect it with this one.

    As a new program: a fork would take over locks that are held, and threads of gRPC that are not there.

    Args:
        words: The module and its arguments; the number of the open file with its end of the connection comes first.
        name: What it is, for the error message.

    Raises:
        SandboxError: If the system lets no process start.
    """
    module, *rest = map(str, words)
    try:
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                process = _start([module, str(theirs.fileno()), *rest], theirs)
            return process, await Channel.over(ours)
        except BaseException:
            ours.close()  # it ends, if it has begun
            raise
    except OSError as error:
        raise SandboxError(f"No {name} can be started: {error}") from error


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
