"""
One running container: its start, its end, its output, and the control of its processes.

The output is read from a Unix socket in its seat's folder: the launcher makes it stdout and stderr. The controller
freezes the container, reads its CPU time, and labels its output with decisions.
"""

from __future__ import annotations

import asyncio
import socket
import time
from concurrent.futures import Future
from contextlib import suppress
from datetime import datetime
from threading import Thread
from typing import TYPE_CHECKING

from docker.errors import NotFound

from ladder.errors import ContainerLost, SandboxError
from ladder.sandbox.base import Exit
from ladder.sandbox.docker.containers import remove
from ladder.sandbox.docker.engine import engine_errors
from ladder.sandbox.excerpt import Tail
from ladder.sandbox.host.scratch import bind_visible
from ladder.sandbox.host.whole_file import has_data

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Executor
    from pathlib import Path
    from typing import Any

    from docker import DockerClient

    from ladder.sandbox.docker.control_group import ControlGroup, LeasedGroup

NAME = "log.sock"
"""File name of the socket, which the launcher knows too; gone once the container has connected."""

CHUNK = 64 * 1024
PAUSE = 0.05
"""Seconds in which at most `CHUNK` bytes are read. A bot that writes more waits on its own full socket."""

_LAST_CHUNKS = 64
"""Chunks read at once when the output is asked for: a socket holds less, and a bot may still write meanwhile."""


class Output:
    """The end of a container's output. Lives on the event loop that made it."""

    def __init__(self, folder: Path, pause: float = PAUSE) -> None:
        """
        Listen in *folder*, for one connection, and read from it at most `CHUNK` bytes in *pause* seconds.

        Raises:
            SandboxError: If the folder takes no socket.
        """
        self._pause_seconds = pause
        self._connected = False
        self._is_paused = False
        self._tail = Tail()
        self._path = folder / NAME
        self._loop = asyncio.get_running_loop()
        self._resuming: asyncio.TimerHandle | None = None
        self._socket: socket.socket | None = socket.socket(socket.AF_UNIX)
        try:
            self._socket.setblocking(False)
            bind_visible(self._socket, self._path)
            self._socket.listen(1)
        except SandboxError:
            self._socket.close()
            raise
        self._loop.add_reader(self._socket, self._read)

    def __str__(self) -> str:
        """Give the end of what has been written up to now."""
        self._catch_up()
        return str(self._tail)

    def mark(self, decision: int) -> None:
        """Label what comes from now on with this *decision*."""
        if not self._connected or (self._socket is not None and has_data(self._socket)):
            self._catch_up()
        self._tail.mark(decision)

    def has_connected(self) -> bool:
        """Tell whether the container has ever connected."""
        self._catch_up()
        return self._connected

    def close(self) -> None:
        """Keep what has been written until now, and read no more; may be called twice."""
        self._catch_up()
        self._pause()
        self._drop()
        self._path.unlink(missing_ok=True)

    def _catch_up(self) -> None:
        for _ in range(_LAST_CHUNKS):
            if not self._take():
                break

    def _read(self) -> None:
        """Read one chunk, then pause: a flood of output costs this process no more than that."""
        if self._take():
            self._pause()
            self._resuming = self._loop.call_later(self._pause_seconds, self._resume)

    def _take(self) -> bool:
        """Take one chunk; whether there was anything."""
        if not self._connected:
            self._accept()
        if self._socket is None or not self._connected:
            return False
        try:
            data = self._socket.recv(CHUNK)
        except BlockingIOError:
            return False
        except OSError:  # a connection that was reset, like one that was closed, has no more to say
            data = b""
        if not data:
            self._drop()
        self._tail.write(data)
        return bool(data)

    def _accept(self) -> None:
        """Let the connection take the place of the socket that listened."""
        if self._socket is None:
            return
        with suppress(BlockingIOError):
            connection, _ = self._socket.accept()
            self._drop()
            self._path.unlink(missing_ok=True)
            connection.setblocking(False)
            self._socket, self._connected = connection, True
            self._resume()

    def _resume(self) -> None:
        self._is_paused = False
        if self._socket is not None:
            self._loop.add_reader(self._socket, self._read)

    def _pause(self) -> None:
        self._is_paused = True
        if self._resuming is not None:
            self._resuming.cancel()
        if self._socket is not None:
            self._loop.remove_reader(self._socket)

    def _drop(self) -> None:
        if self._socket is not None:
            self._loop.remove_reader(self._socket)
            self._socket.close()
            self._socket = None


class ContainerController:
    """A container's `referee.seats.process_controller.ProcessController`."""

    def __init__(self, group: ControlGroup | LeasedGroup | None, output: Output, core: int | None) -> None:
        """
        Control a container.

        Args:
            group: Its control group, where there is one to be found; closed with this object.
            output: Its stdout and stderr.
            core: The core that it is limited to once it is seated; None: any.
        """
        self._group = group
        self._output = output
        self._core = core

    def cpu_time(self) -> float | None:
        """Read the seconds of CPU time of all its processes; None where that cannot be read."""
        return self._group.cpu_time() if self._group else None

    def seated(self) -> None:
        """Limit it to its core. While it starts it may use all cores: four containers start much faster so."""
        if self._group and self._core is not None:
            self._group.pin(self._core)

    def freeze(self) -> None:
        """Freeze all its processes."""
        if self._group:
            self._group.freeze()

    def thaw(self) -> None:
        """Resume all its processes."""
        if self._group:
            self._group.thaw()

    def mark(self, decision: int) -> None:
        """Label what it writes from now on with the number of this *decision*."""
        self._output.mark(decision)

    def peak_memory(self) -> int | None:
        """Read the most bytes of memory it has used; None where that cannot be read, or no longer."""
        return self._group.peak_memory() if self._group else None

    def close(self) -> None:
        """Close the control group's files; may be called twice."""
        if self._group:
            self._group.close()


NO_LOG = 125
"""Exit code of the launcher when it finds no log socket, before any bot runs."""
LOST_LOG = "A bot's container could not connect to the sockets of its seat, or their folder is gone"

BY_SIGKILL = 137
"""Exit code of a program that is killed; the engine reports it if a container's first process is, from outside."""
LAUNCHER_BY_SIGKILL = 192
"""The code that the launcher gives instead of the bot's own 137: 128 + a signal that is not used."""
LAUNCHER_OUTLIVES_BOT = {"runc", "crun"}
"""
Runtimes under which nothing inside a container can end its first process.

Under gVisor a lack of memory ends the whole sandbox, and the engine does not always report that as the reason.
"""

OOM_SECONDS = 1.0
"""Seconds that the engine may take to learn that memory ran out, after it has learnt of the end."""
_LOOK_SECONDS = 0.02
KILL_EVENT_SECONDS = 5
"""Seconds after a container's end in which the engine may report its order to kill it: it sends the signal first."""

KILLED = Exit(BY_SIGKILL)
"""The end of a container that was killed from outside, by `stop` or another program, or does not exist any more."""


LOST = Exit(BY_SIGKILL)
"""The same end, though the engine is there and had no such order: by the kernel, or by a signal from the host."""
KILLED_FROM_OUTSIDE = "A bot's container was killed from outside: by a command there, or with its engine or host."
WAS_LOST = "A bot's container was killed from outside, and not through its engine."


class DockerInstance:
    """A bot's container, from its start until it is removed."""

    def __init__(
        self,
        client: DockerClient,
        pool: Executor,
        name: str,
        output: Output,
        controller: ContainerController,
        on_removed: Callable[[DockerInstance], None],
    ) -> None:
        self.name = name
        """The container's name."""
        self.controller = controller
        """The controller that freezes it and reads its CPU time."""
        self._client = client
        self._pool = pool
        self._output = output
        self._on_removed = on_removed
        self._ending: Future[Exit] | None = None
        self._removal: Future[None] | None = None
        self._end: Exit | None = None

    async def wait(self) -> Exit:
        """
        Wait until the container has ended, by itself or by `stop`.

        Raises:
            SandboxError: If the engine fails.
        """
        if self._ending is None and self._end is None:
            self._ending = Future()
            # Not in the pool, which waiting for a whole match would fill. A daemon: it must not hold up the exit.
            Thread(target=self._watch, args=[self._ending], name=self.name, daemon=True).start()
        end = self._end
        if end is None:
            assert self._ending is not None
            ending = asyncio.wrap_future(self._ending)
            ending.add_done_callback(_look_at)
            end = await asyncio.shield(ending)
        if end.code == NO_LOG and not self._output.has_connected():
            raise SandboxError(f"{LOST_LOG}.")
        if end is KILLED and self._removal is None:
            raise SandboxError(KILLED_FROM_OUTSIDE)
        if end is LOST and self._removal is None:
            raise ContainerLost(WAS_LOST)
        return end

    async def stop(self) -> None:
        """
        Kill and remove the container, keeping how it ended and what it wrote last.

        Raises:
            SandboxError: If the engine fails; another call tries again.
        """
        if self._removal is None or (self._removal.done() and self._removal.exception()):
            self.controller.thaw()  # not every runtime can end a frozen container
            self._removal = self._pool.submit(self._take_away)
        # A caller that is cancelled meanwhile does not stop the removal.
        try:
            await asyncio.shield(asyncio.wrap_future(self._removal))
        finally:
            self._output.close()
            self.controller.close()

    async def log_tail(self) -> str:
        """Give the end of what it wrote to stdout and stderr; works after `stop` too."""
        return str(self._output)

    async def peak_memory(self) -> int | None:
        """Give the most bytes its control group has used, files in memory included; None once it has ended."""
        return self.controller.peak_memory()

    def _watch(self, ending: Future[Exit]) -> None:
        try:
            with engine_errors("wait for a bot's container"):
                ending.set_result(self._wait())
        except Exception as error:  # raised where the result is awaited
            ending.set_exception(error)

    def _wait(self) -> Exit:
        try:
            self._client.api.wait(self.name, timeout=None)
            self._end = self._end or how_it_ended(self._client, self.name)
        except NotFound:
            pass
        return self._end or KILLED

    def _take_away(self) -> None:
        with engine_errors("stop a bot's container"), suppress(NotFound):
            self._end = self._end or how_it_ended(self._client, self.name)
        remove(self._client, self.name)
        self._end = self._end or KILLED
        self._on_removed(self)


def how_it_ended(client: DockerClient, name: str) -> Exit | None:
    """
    Ask the engine how the container *name* ended; None while it runs.

    Raises:
        NotFound: If it is not there any more.
        DockerException: If the engine fails.
    """
    deadline = time.monotonic() + OOM_SECONDS
    while True:
        found = client.api.inspect_container(name)
        state = found["State"]
        if state["Running"]:
            return None
        if state["ExitCode"] != LAUNCHER_BY_SIGKILL or state["OOMKilled"] or time.monotonic() > deadline:
            end = _exit(state["ExitCode"], state["OOMKilled"], found["HostConfig"]["Runtime"])
            return LOST if end is KILLED and not _has_kill_event(client, found) else end
        time.sleep(_LOOK_SECONDS)


def _has_kill_event(client: DockerClient, found: Mapping[str, Any]) -> bool:
    """Tell whether the engine had an order to end a container: no program inside can give one."""
    # By the engine's own clock: it gives its events from the one second to the other, and ends then.
    began, ended = (_seconds(each) for each in (found["Created"], found["State"]["FinishedAt"]))
    filters = {"container": found["Id"], "event": "kill"}
    orders = client.api.events(since=began, until=ended + KILL_EVENT_SECONDS, filters=filters, decode=True)
    return any(True for _ in orders)


def _seconds(stamp: str) -> int:
    """Give the Unix time of what the engine calls ``2026-11-25T14:46:24.123456789Z``."""
    return int(datetime.fromisoformat(f"{stamp[:19]}+00:00").timestamp())


def _look_at(ending: asyncio.Future[Exit]) -> None:
    """Keep asyncio from logging a failure that came when its result was not awaited any more."""
    if not ending.cancelled():
        ending.exception()


def _exit(code: int, oom: bool, runtime: str) -> Exit:
    """Read an end from the engine's report; where the bot may have caused it, it counts as the bot's."""
    if code == BY_SIGKILL and not oom and runtime in LAUNCHER_OUTLIVES_BOT:
        return KILLED
    return Exit(BY_SIGKILL if code == LAUNCHER_BY_SIGKILL else code, oom)
