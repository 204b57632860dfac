"""One running container."""

from __future__ import annotations

import asyncio
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

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Executor
    from typing import Any

    from docker import DockerClient

    from ladder.sandbox.docker.container_controller import ContainerController
    from ladder.sandbox.docker.output import Output

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
