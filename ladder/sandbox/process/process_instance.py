"""One running process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
from typing import TYPE_CHECKING, Protocol

from ladder.errors import SandboxError
from ladder.sandbox.base import Exit
from ladder.sandbox.host.memory import peak_of_process
from ladder.sandbox.host.readable import has_data
from ladder.sandbox.tail import Tail
from referee.seats.process_controller import NoController

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_CHUNK = 64 * 1024
_LAST_CHUNKS = 32
"""Read at the very end: a pipe holds less, and a process that escaped its group could write for ever."""


class RunningProcess(Protocol):
    """A process that was started or forked, as `asyncio.subprocess` has it."""

    @property
    def pid(self) -> int:
        """Its number."""

    @property
    def returncode(self) -> int | None:
        """Its exit code; minus the signal's number if one has killed it; None as long as it runs."""

    async def wait(self) -> int:
        """Wait until it has ended; its exit code."""


class ProcessInstance:
    """A bot's process and all that it starts, from its start until nothing of it is left."""

    def __init__(
        self, process: RunningProcess, output: int, home: Path, on_gone: Callable[[ProcessInstance], None]
    ) -> None:
        """
        Watch over *process*.

        Args:
            process: Leader of a process group of its own.
            output: Read end of the pipe that it writes stdout and stderr to; closed in the end.
            home: Its own temporary folder; removed in the end.
            on_gone: Called when nothing of it is left.
        """
        self.pid = process.pid
        self._process = process
        self._output = output
        self._home = home
        self._on_gone = on_gone
        self._tail = Tail()
        self._ended = False
        self.controller = _OutputMarker(self)
        """Labels its output; it cannot freeze the process or read its CPU time."""
        os.set_blocking(output, False)
        asyncio.get_running_loop().add_reader(output, self._read)
        self._ending = asyncio.ensure_future(self._end())

    async def wait(self) -> Exit:
        """
        Wait until it has ended.

        Raises:
            SandboxError: If it ended by no doing of the bot's.
        """
        return await asyncio.shield(self._ending)

    async def stop(self) -> None:
        """Kill the process and its group."""
        if self._process.returncode is None:
            self._kill_group()
        with contextlib.suppress(SandboxError):  # it has ended, too
            await self.wait()

    def mark(self, decision: int) -> None:
        """Label what it writes from now on with the number of this *decision*."""
        if not self._ended and has_data(self._output):
            self._catch_up()
        self._tail.mark(decision)

    async def log_tail(self) -> str:
        """Give the end of what it wrote to stdout and stderr."""
        return str(self._tail)

    async def peak_memory(self) -> int | None:
        """Give the most bytes that the process had in memory; None once it has ended, and where there is no /proc."""
        return peak_of_process(self.pid) if self._process.returncode is None else None

    async def _end(self) -> Exit:
        try:
            code = await self._process.wait()
        finally:
            self._kill_group()  # what it started must not outlive it
            self._clean_up()
        return Exit(code if code >= 0 else 128 - code)

    def _clean_up(self) -> None:
        self._catch_up()
        self._ended = True
        asyncio.get_running_loop().remove_reader(self._output)
        os.close(self._output)
        shutil.rmtree(self._home, ignore_errors=True)
        self._on_gone(self)

    def _catch_up(self) -> None:
        for _ in range(_LAST_CHUNKS):
            if not self._read():
                break

    def _read(self) -> bool:
        """Take what the pipe holds; whether there was anything."""
        try:
            data = os.read(self._output, _CHUNK)
        except BlockingIOError:
            return False
        if not data:  # closed by all who could write: a selector would report that for ever
            asyncio.get_running_loop().remove_reader(self._output)
        self._tail.write(data)
        return bool(data)

    def _kill_group(self) -> None:
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # macOS says the latter of a group of zombies
            return


class _OutputMarker(NoController):
    """Labels the output of a process. Without special rights nothing else can be controlled."""

    def __init__(self, instance: ProcessInstance) -> None:
        self._instance = instance

    def mark(self, decision: int) -> None:
        """Label what it writes from now on with the number of this *decision*."""
        self._instance.mark(decision)
