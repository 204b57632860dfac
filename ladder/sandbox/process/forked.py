"""
Bots that are forked: the server that does it, the limits of each process, and its end.

Programs end with the process that started them. The limits are those of a bot that runs as a plain process.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import os
import signal
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import SandboxError

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import Mapping

LAUNCHER = Path(__file__).with_name("die_with_parent.py")


def dying_with_us(command: list[str]) -> list[str]:
    """Make the command line by which *command* runs as a child that the kernel kills when this thread ends."""
    return [sys.executable, "-I", "-S", str(LAUNCHER), str(os.getpid()), *command]


@dataclass(frozen=True)
class ProcessLimits:
    """Limits of one forked process."""

    memory_bytes: int
    """
    Its data: what it has asked for in writable memory of its own, used or not (`RLIMIT_DATA`).

    The address space is no measure, because each thread of gRPC reserves some and uses none of it.
    """
    niceness: int
    """By how much its priority for CPU time is below that of other processes: 0 to 19."""


CAN_FORK = sys.platform == "linux"
"""On other systems a forked process that runs no program of its own may not use the libraries of the system."""
END_SECONDS = 2.0
"""Seconds that a server may take to end by itself."""
_MESSAGE_BYTES = 4096


class ForkedProcess:
    """A process that the server has forked; in use like one of `asyncio.subprocess`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        """Its exit code; minus the signal's number if one has killed it; None until it is known."""
        self._ended = asyncio.Event()

    async def wait(self) -> int:
        """
        Wait until it has ended; its exit code.

        Raises:
            SandboxError: If it ended with the server that had forked it.
        """
        await self._ended.wait()
        if self.returncode is None:
            raise SandboxError("The process that starts bots was killed from outside, and its bots with it.")
        return self.returncode

    def end(self, code: int | None) -> None:
        """Take its end; None: it has ended with the server."""
        self.returncode = code
        self._ended.set()


class ForkServer:
    """
    A process that has imported what bots import and forks them (`ladder.sandbox.process.process_fork_server`).

    It is started with the first bot. If it is killed its bots end with it, which is not held against them, and the next
    bot gets another one.
    """

    def __init__(self, environment: Mapping[str, str], limits: ProcessLimits | None = None) -> None:
        """
        Prepare a server.

        Args:
            environment: Of the server; each bot is given one of its own.
            limits: Of each bot; None: none.
        """
        self._environment = environment
        self._limits = dataclasses.asdict(limits) if limits else None
        self._connection: _Connection | None = None
        self._starting = asyncio.Lock()

    async def start(self, folder: Path, file: str, environment: Mapping[str, str], output: int) -> ForkedProcess:
        """
        Fork a process, leader of a session of its own, and run a Python file in it.

        Args:
            folder: The folder in which it runs.
            file: The file in that folder.
            environment: Its environment variables.
            output: What it writes stdout and stderr to; the caller closes it.

        Raises:
            SandboxError: If the system lets no process start.
        """
        message = {"folder": str(folder), "file": file, "environment": dict(environment), "limits": self._limits}
        async with self._starting:
            connection = await self._connected()
            return await connection.start(json.dumps(message).encode(), output)

    async def prepare(self) -> None:
        """
        Start the server now, which imports what bots import; that takes a second, and this call does not wait for it.

        Raises:
            SandboxError: If the system lets no process start.
        """
        async with self._starting:
            await self._connected()

    async def _connected(self) -> _Connection:
        if self._connection is None or self._connection.is_lost:
            await self.close()
            self._connection = await _connect(self._environment)
        return self._connection

    async def close(self) -> None:
        """End the server, and whatever it has forked."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()


async def _connect(environment: Mapping[str, str]) -> _Connection:
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setblocking(False)
    with its:
        try:
            server = await asyncio.create_subprocess_exec(
                *dying_with_us(
                    [sys.executable, "-P", "-m", "ladder.sandbox.process.process_fork_server", str(its.fileno())]
                ),
                env=environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                pass_fds=[its.fileno()],
                start_new_session=True,
            )
        except BaseException as error:
            ours.close()
            if isinstance(error, OSError):
                raise SandboxError(f"The process that starts bots could not be started: {error}") from error
            raise
    return _Connection(server, ours)


def _kill(answer: asyncio.Future[ForkedProcess]) -> None:
    """Kill a process that is not awaited any more."""
    if answer.exception() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(answer.result().pid, signal.SIGKILL)


class _Connection:
    """A server that runs, and the processes that it has forked."""

    def __init__(self, server: Process, control: socket.socket) -> None:
        self.is_lost = False
        self._server = server
        self._control = control
        self._asked: list[asyncio.Future[ForkedProcess]] = []
        """Futures that wait for an answer, in the order of the questions."""
        self._running: dict[int, ForkedProcess] = {}
        asyncio.get_running_loop().add_reader(control, self._read)

    async def start(self, message: bytes, output: int) -> ForkedProcess:
        answer: asyncio.Future[ForkedProcess] = asyncio.get_running_loop().create_future()
        try:
            socket.send_fds(self._control, [message], [output])
        except OSError as error:
            raise SandboxError(f"The process that starts bots does not answer any more: {error}") from error
        self._asked.append(answer)
        try:
            return await asyncio.shield(answer)
        except asyncio.CancelledError:
            answer.add_done_callback(_kill)
            raise

    async def close(self) -> None:
        """End the server: it ends by itself when its connection is closed, and one that does not is killed."""
        self._lose()
        ended = asyncio.ensure_future(self._server.wait())
        # Not killed at once: killing a process that is just ending may hide its exit code from asyncio.
        await asyncio.wait([ended], timeout=END_SECONDS)
        if self._server.returncode is None:
            self._server.kill()
        await ended

    def _read(self) -> None:
        while not self.is_lost:
            try:
                message = self._control.recv(_MESSAGE_BYTES)
            except BlockingIOError:
                return
            except OSError:
                message = b""
            if message:
                self._take(json.loads(message))
            else:
                self._lose()

    def _take(self, answer: dict[str, int | str]) -> None:
        match answer:
            case {"pid": int(pid)}:
                process = self._running[pid] = ForkedProcess(pid)
                self._asked.pop(0).set_result(process)
            case {"ended": int(pid), "status": int(status)}:
                self._running.pop(pid).end(os.waitstatus_to_exitcode(status))
            case _:
                self._asked.pop(0).set_exception(SandboxError(f"The bot's process could not be started: {answer}"))

    def _lose(self) -> None:
        """Note that the server is gone or is to go, and that the kernel kills what it has forked."""
        if self.is_lost:
            return
        self.is_lost = True
        asyncio.get_running_loop().remove_reader(self._control)
        self._control.close()
        for process in self._running.values():
            process.end(None)
        for answer in self._asked:
            answer.set_exception(SandboxError("The process that starts bots has ended."))
