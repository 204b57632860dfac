"""A process that this one has started, and that takes calls over a channel."""

from __future__ import annotations

import asyncio
import itertools
import os
import socket
import subprocess
import sys
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING

from ladder.errors import SandboxError
from ladder.worker.channel import Channel, Frame, MessageKind

if TYPE_CHECKING:
    from collections.abc import Sequence

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
