"""
Start of a sandbox's instances: each in a container of its own, or forked in a warm one.

An instance in a warm container lasts from its fork until the container is clear again.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from docker.errors import NotFound

from ladder.errors import ContainerLost, NoControlGroup, SandboxError
from ladder.sandbox.base import Exit
from ladder.sandbox.docker import container_plan, containers
from ladder.sandbox.docker.container_instance import (
    KILLED,
    KILLED_FROM_OUTSIDE,
    LOST,
    LOST_LOG,
    NO_LOG,
    WAS_LOST,
    ContainerController,
    DockerInstance,
    Output,
    how_it_ended,
)
from ladder.sandbox.docker.control_group import LeasedGroup, start_reclaim, wait_for_reclaim
from ladder.sandbox.docker.engine import engine_errors
from ladder.sandbox.docker.warm_container import (
    CLEAR_SECONDS,
    ControlSocket,
    WarmContainer,
    WarmPool,
    write_environment,
)
from ladder.values.sandbox_kind import WARM_BYTES, has_own_kernel

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from concurrent.futures import Future
    from typing import Any

    from docker import DockerClient

    from ladder.sandbox.base import SeatMount
    from ladder.sandbox.docker.container_plan import ContainerPlan, FirstProcess
    from ladder.sandbox.docker.control_group import ControlGroup
    from ladder.sandbox.docker.limits import Limits

    Look = Callable[[WarmContainer], Awaitable[Exit | None]]

if TYPE_CHECKING:
    GiveBack = Callable[["WarmInstance", bool], Awaitable[None]]


class WarmInstance:
    """A fork of a warm container's server; it has the container for itself while it lives."""

    def __init__(
        self, container: WarmContainer, output: Output, core: int | None, look: Look, give_back: GiveBack
    ) -> None:
        """
        Take over a container whose server has just been ordered to start an instance.

        Args:
            container: It.
            output: What the instance writes.
            core: The core that it is limited to once it is seated; None: any.
            look: Asks the engine how a container ended.
            give_back: Takes the instance afterwards, and whether another one may follow in its container.
        """
        self._group = LeasedGroup(container.group)
        self.controller = ContainerController(self._group, output, core)
        """The controller that freezes it and reads its CPU time."""
        self.container = container
        """The container in which it runs."""
        self._ended = container.ended
        self._output = output
        self._look = look
        self._give_back = give_back
        self._end: Exit | None = None
        self._is_lost = False
        self._stopping: asyncio.Task[None] | None = None
        self._stopped = asyncio.Event()

    @property
    def name(self) -> str:
        """Name of its container."""
        return self.container.name

    async def wait(self) -> Exit:
        """
        Wait until its program has ended, by itself or by `stop`.

        Raises:
            SandboxError: If the container ended by no doing of the bot's.
        """
        if self._end is None:
            await _first(self._ended, self._stopped.wait(), self.container.lost.wait())
            await self._note_end()
        if self._end is None:
            raise ContainerLost(WAS_LOST) if self._is_lost else SandboxError(KILLED_FROM_OUTSIDE)
        if self._end.code == NO_LOG and not self._output.has_connected():
            raise SandboxError(f"{LOST_LOG}.")
        return self._end

    async def stop(self) -> None:
        """End it, keeping how it ended and what it wrote last, and clear the container for the next one."""
        if self._stopping is None:
            self.controller.thaw()  # a frozen fork server reads no command
            self._stopping = asyncio.ensure_future(self._clear())
        await asyncio.shield(self._stopping)  # a caller that is cancelled meanwhile does not stop it

    async def log_tail(self) -> str:
        """Give the end of what it wrote to stdout and stderr; works after `stop` too."""
        return str(self._output)

    async def peak_memory(self) -> int | None:
        """Give None: the kernel counts for all instances of the container together."""
        return None

    async def _clear(self) -> None:
        is_clear = await self.container.clear()
        await self._note_end()
        self._end = self._end or KILLED
        self._output.close()
        is_clear = is_clear and not self._group.out_of_memory()
        self.controller.close()
        self._stopped.set()
        await self._give_back(self, is_clear)

    async def _note_end(self) -> None:
        """Note how it ended, if it did so by itself."""
        if self._end is None and self._ended.done():
            self._end = _exit(self._ended.result(), self._group.out_of_memory())
        elif self._end is None and self.container.lost.is_set():
            # For want of memory the kernel may have ended the whole container. One with a kernel of its own ends for
            # other reasons, too, and the engine does not always say which: there it is the bot's doing.
            end = await self._look(self.container)
            has_ended_itself = has_own_kernel(self.container.plan.runtime) and end is not KILLED
            is_its_doing = end is not None and (end.oom or has_ended_itself)
            self._end = self._end or (end if is_its_doing else None)
            self._is_lost = end is LOST


async def _first(future: asyncio.Future[int], *waits: Coroutine[Any, Any, object]) -> None:
    """Wait until one of them is done, and for the others no longer."""
    waiting: list[asyncio.Future[Any]] = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait((future, *waiting), return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waiting:
            each.cancel()


def _exit(status: int, out_of_memory: bool) -> Exit:
    """Give the end that the launcher and the engine would report of a program that ended so."""
    code = 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    return Exit(code, out_of_memory)


T = TypeVar("T")

LOOK_SECONDS = 0.5
"""Seconds between two looks whether a container that has not connected yet has ended."""
END_SECONDS = 30
"""Seconds that the engine may take to notice that a container has ended."""


class Starter:
    """Knows every instance that runs, and every warm container."""

    def __init__(
        self,
        client: DockerClient,
        pool: ThreadPoolExecutor,
        limits: Limits,
        sandbox: str,
        *,
        warm_bytes: int = WARM_BYTES,
        clear_seconds: float = CLEAR_SECONDS,
    ) -> None:
        """
        Begin with none.

        Args:
            client: The engine.
            pool: Runs what waits for the engine.
            limits: What one container may use.
            sandbox: Id of the sandbox, which its containers have as a label.
            warm_bytes: Memory that warm containers without an instance may have together.
            clear_seconds: Seconds that a warm container may take to clean up.
        """
        self._client = client
        self._pool = pool
        self._limits = limits
        self._sandbox = sandbox
        self._clear_seconds = clear_seconds
        self._warm = WarmPool(self._launch_warm, self._remove_warm, warm_bytes)
        self._instances: dict[DockerInstance | WarmInstance, ContainerPlan] = {}
        self._starting: Counter[ContainerPlan] = Counter()
        self._remembers = False
        """True if the kernel may remember look-ups of an instance that has ended."""
        self._reclaimed: Future[bool] | None = None

    def playing(self) -> set[ContainerPlan]:
        """Give the images that play now, are being started, or have a warm container."""
        return {*tuple(self._instances.values()), *self._starting.elements(), *self._warm.plans()}  # threads take some

    async def start(self, plan: ContainerPlan, mount: SeatMount, *, is_warm: bool) -> DockerInstance | WarmInstance:
        """
        Start an instance.

        Raises:
            NoControlGroup: If none can be forked on this machine.
            SandboxError: If the engine fails.
        """
        self._starting[plan] += 1
        try:
            if self._remembers:
                self._remembers = False
                self._reclaimed = start_reclaim(plan.engine.cgroup_driver)
            return await (self._start_warm(plan, mount) if is_warm else self._start_fresh(plan, mount))
        finally:
            self._starting[plan] -= 1

    async def close(self) -> None:
        """End every instance; the sandbox removes what is left when it is closed."""
        stops = (instance.stop() for instance in list(self._instances))
        await asyncio.gather(*stops, return_exceptions=True)  # what could not be stopped is removed by its label
        await self._warm.close()

    async def _start_fresh(self, plan: ContainerPlan, mount: SeatMount) -> DockerInstance:
        output = Output(mount.folder)
        try:
            name, group = await self._launch(plan, lambda: container_plan.launcher(plan, mount))
        except BaseException:
            output.close()
            raise
        controller = ContainerController(group, output, mount.core)
        instance = DockerInstance(self._client, self._pool, name, output, controller, self._removed)
        self._instances[instance] = plan
        return instance

    async def _start_warm(self, plan: ContainerPlan, mount: SeatMount) -> WarmInstance:
        assert mount.deals is not None
        write_environment(mount)
        container = await self._warm.take(plan, mount.deals)
        try:
            if self._reclaimed is not None:
                await asyncio.to_thread(wait_for_reclaim, self._reclaimed)
            output = Output(mount.folder)
            try:
                container.start(mount.folder)
            except BaseException:
                output.close()
                raise
        except BaseException:
            await asyncio.shield(asyncio.ensure_future(self._warm.give_back(container, is_clear=False)))
            raise
        instance = WarmInstance(container, output, mount.core, self._look, self._given_back)
        self._instances[instance] = plan
        return instance

    async def _launch(
        self, plan: ContainerPlan, prepare: Callable[[], FirstProcess]
    ) -> tuple[str, ControlGroup | None]:
        """Make a container and start its first process; its name and its control group."""
        name = containers.container_name()

        def launch() -> ControlGroup | None:
            return containers.launch(
                self._client,
                name,
                plan,
                prepare(),
                limits=self._limits,
                sandbox=self._sandbox,
                reclaimed=self._reclaimed,
            )

        launched = self._pool.submit(launch)
        try:
            return name, await asyncio.wrap_future(launched)
        except asyncio.CancelledError:
            # The thread cannot be interrupted. Whenever it is done, its container goes, even after the event loop has.
            launched.add_done_callback(partial(_give_up, self._client, name))
            raise

    async def _launch_warm(self, plan: ContainerPlan) -> WarmContainer:
        control = ControlSocket()
        name, group = "", None
        try:
            name, group = await self._launch(plan, lambda: container_plan.fork_server(plan, control.folder))
            reader = await self._ready(control, name)
            if group is None or group.cpu_time() is None:
                raise NoControlGroup("The control group of a container cannot be read.")
            return WarmContainer(name, plan, group, control, reader, self._clear_seconds)
        except BaseException:
            control.close()
            if group is not None:
                group.close()
            if name:
                self._pool.submit(containers.discard, self._client, name)
            raise

    async def _ready(self, control: ControlSocket, name: str) -> asyncio.StreamReader:
        """Wait until the fork server of a container is ready, but no longer than the container runs."""
        ready = asyncio.ensure_future(control.accept())
        try:
            while not (await asyncio.wait((ready,), timeout=LOOK_SECONDS))[0]:
                has_ended, end = await self._call(self._end_of, name)
                if has_ended and not ready.done():
                    raise SandboxError(
                        f"The fork server of a warm container ended before it connected: {end or 'it was removed'}."
                    )
            return await ready
        finally:
            ready.cancel()

    def _end_of(self, name: str) -> tuple[bool, Exit | None]:
        """Tell whether a container has ended, and how; None: it is not there any more."""
        with engine_errors("look up whether a container runs"), suppress(NotFound):
            end = how_it_ended(self._client, name)
            return end is not None, end
        return True, None

    async def _remove_warm(self, container: WarmContainer) -> None:
        container.close()
        await self._call(containers.discard, self._client, container.name)

    async def _look(self, container: WarmContainer) -> Exit | None:
        """Ask how a container ended; None if it has not, or does not exist any more."""

        def look() -> Exit | None:
            with engine_errors("look up how a container ended"), suppress(NotFound):
                # Its server is gone; the engine may not know yet that the container has ended.
                self._client.api.wait(container.name, timeout=END_SECONDS)
                return how_it_ended(self._client, container.name)
            return None

        return await self._call(look)

    async def _given_back(self, instance: WarmInstance, is_clear: bool) -> None:
        self._removed(instance)
        await self._warm.give_back(instance.container, is_clear)

    def _removed(self, instance: DockerInstance | WarmInstance) -> None:
        self._instances.pop(instance, None)
        self._remembers = True

    async def _call(self, function: Callable[..., T], *arguments: object) -> T:
        return await asyncio.wrap_future(self._pool.submit(function, *arguments))


def _give_up(client: DockerClient, name: str, launch: Future[ControlGroup | None]) -> None:
    """Remove the container of a start that is not awaited any more."""
    if not launch.cancelled() and not launch.exception() and (group := launch.result()):
        group.close()
    containers.discard(client, name)
