"""
Strangers' bots in Docker containers: no network, no rights, nothing to write to, bounded in all they use.

Containers carry the name of the process that started them, so that a killed process's leftovers are found and
removed when the next sandbox opens, while those of living processes are left alone.
"""

from __future__ import annotations

import asyncio
import secrets
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from ladder.engine import connect
from ladder.images import ensure_base_image
from ladder.sandbox import containers
from ladder.sandbox.base import SandboxError
from ladder.sandbox.bot_images import image_of_folder, image_of_reference
from ladder.sandbox.container_keeper import ContainerKeeper
from ladder.sandbox.docker_instance import DockerInstance
from ladder.sandbox.limits import Limits
from ladder.sandbox.output import Output
from ladder.wheels.packages import Packages

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from concurrent.futures import Future

    from docker import DockerClient

    from ladder.bots import BotSource
    from ladder.sandbox.base import Place
    from ladder.sandbox.control_group import ControlGroup

T = TypeVar("T")

THREADS = 16
"""Engine calls at one time: four tables of four start at once."""

_LEFT_BEHIND: set[str] = set()
"""Ids of this process's sandboxes that were closed while no engine answered: the next one clears up after them."""


class DockerSandbox:
    """Runs each instance in a container of its own."""

    name = "docker"
    isolates = True

    def __init__(
        self,
        runtime: str = "runc",
        limits: Limits | None = None,
        report: Callable[[str], None] = lambda line: None,
        packages: Packages | None = None,
    ) -> None:
        """
        Prepare a sandbox; nothing is asked of the engine before the first `load`.

        Args:
            runtime: An OCI runtime that the engine knows, for example runc, crun, or runsc.
            limits: What one container may use.
            report: Called, from another thread, with one line before each step that takes seconds.
            packages: Where the packages of bots come from; what pip is set to if None.
        """
        self.runtime = runtime
        self.limits = limits or Limits()
        self._report = report
        self._packages = packages or Packages(report=report)
        self._id = secrets.token_hex(8)
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="docker")
        self._loading = asyncio.Lock()
        self._client: DockerClient | None = None
        self._instances: set[DockerInstance] = set()
        self._base: str | None = None

    async def load(self, bot: BotSource) -> DockerProgram:
        """
        Build the bot's folder or find its image, and pin it to its id.

        Raises:
            BotRejected: If the bot is at fault.
            SandboxError: If the engine or the base image is.
        """
        # One at a time: the second bot of a match must not build the base image, or a shared folder, once more.
        async with self._loading:
            client = await self._open()
            lock = None
            if bot.image is not None:
                image = await self._call(image_of_reference, client, bot.image)
            else:
                base = await self._base_image(client)
                built = await self._call(image_of_folder, client, bot, base, self._packages)
                image, lock = built.image, built.lock
        plan = await self._call(containers.plan, client, image)
        return DockerProgram(image, partial(self._start, client, plan), lock)

    async def close(self) -> None:
        """Remove every container of this sandbox and let go of the engine; the next one removes what this cannot."""
        with suppress(SandboxError):
            await asyncio.gather(*(instance.stop() for instance in list(self._instances)))
        # Starts that were cancelled are still under way in their threads.
        await asyncio.to_thread(self._pool.shutdown)
        client, self._client = self._client, None
        if client is not None:
            try:
                await asyncio.to_thread(containers.remove_sandbox, client, self._id)
            except SandboxError:
                _LEFT_BEHIND.add(self._id)
            client.close()

    async def _open(self) -> DockerClient:
        if self._client is None:
            client = await self._call(connect)
            await self._call(containers.sweep, client)
            for sandbox in list(_LEFT_BEHIND):
                await self._call(containers.remove_sandbox, client, sandbox)
                _LEFT_BEHIND.discard(sandbox)
            self._client = client
        return self._client

    async def _base_image(self, client: DockerClient) -> str:
        if self._base is None:
            self._base = await self._call(ensure_base_image, client, self._report)
        return self._base

    async def _start(self, client: DockerClient, plan: containers.Plan, place: Place) -> DockerInstance:
        output = Output(place.folder)
        name = f"pigpen-{secrets.token_hex(8)}"
        start = partial(
            containers.launch, limits=self.limits, runtime=self.runtime, labels={containers.SANDBOX: self._id}
        )
        launch = self._pool.submit(start, client, name, plan, place)
        try:
            group = await asyncio.wrap_future(launch)
        except asyncio.CancelledError:
            # The thread cannot be interrupted. Whenever it is done, its container goes, even after the event loop has.
            launch.add_done_callback(partial(_give_up, client, name))
            output.close()
            raise
        except Exception:
            output.close()
            raise
        keeper = ContainerKeeper(group, output, place.core)
        instance = DockerInstance(client, self._pool, name, output, keeper, self._instances.discard)
        self._instances.add(instance)
        return instance

    async def _call(self, function: Callable[..., T], *arguments: object) -> T:
        return await asyncio.wrap_future(self._pool.submit(function, *arguments))


def _give_up(client: DockerClient, name: str, launch: Future[ControlGroup | None]) -> None:
    """Remove the container of a start that nobody waits for any more."""
    if not launch.cancelled() and not launch.exception() and (group := launch.result()):
        group.close()
    containers.discard(client, name)


class DockerProgram:
    """An image, ready to start."""

    def __init__(
        self, image: str, start: Callable[[Place], Awaitable[DockerInstance]], lock: str | None = None
    ) -> None:
        self._image = image
        self._start = start
        self._lock = lock

    @property
    def identity(self) -> str:
        """The image's id: `sha256:` and 64 hexadecimal digits."""
        return self._image

    @property
    def lock(self) -> str | None:
        """Which packages we put into the image; None: none."""
        return self._lock

    async def start(self, place: Place) -> DockerInstance:
        """
        Start one fresh container.

        Raises:
            SandboxError: If the engine fails.
        """
        return await self._start(place)
