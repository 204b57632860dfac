"""
Strangers' bots in Docker containers: no network, no rights, nothing to write to, bounded in all they use.

Containers carry the name of the process that started them, so that a killed process's leftovers are found and
removed when the next sandbox opens, while those of living processes are left alone.
"""

from __future__ import annotations

import asyncio
import secrets
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from ladder.errors import BotRejected, NoControlGroup, SandboxError
from ladder.sandbox.base import WITNESS
from ladder.sandbox.docker import containers
from ladder.sandbox.docker.base_image import base_image_id, ensure_base_image, has_base_image
from ladder.sandbox.docker.bot_images import image_of_folder, image_of_reference
from ladder.sandbox.docker.container_plan import plan as make_plan
from ladder.sandbox.docker.engine import connect
from ladder.sandbox.docker.image_inspection import inspect_image
from ladder.sandbox.docker.image_lock import LockedImages, lock_image
from ladder.sandbox.docker.limits import Limits
from ladder.sandbox.docker.package_images import PackageImages
from ladder.sandbox.docker.reach import check_reach
from ladder.sandbox.docker.source_build import SourceBuild
from ladder.sandbox.docker.starter import Starter
from ladder.sandbox.docker.warm_container import CLEAR_SECONDS
from ladder.sandbox.wheels.packages import Packages
from ladder.values.sandbox_kind import GVISOR, LOCKED_BYTES, SHARED, WARM_BYTES, SandboxKind, has_own_kernel

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from docker import DockerClient

    from ladder.sandbox.base import Exit, SeatMount
    from ladder.sandbox.bots.bot_source import BotSource
    from ladder.sandbox.docker.container_instance import DockerInstance
    from ladder.sandbox.docker.container_plan import ContainerPlan
    from ladder.sandbox.docker.image_lock import ImageLock
    from ladder.sandbox.docker.starter import WarmInstance
    from referee.records.lines import ImageFiles, Instances

T = TypeVar("T")

THREADS = 16
"""Engine calls at one time: four tables of four start at once."""

_LEFT_BEHIND: set[str] = set()
"""Ids of this process's sandboxes that were closed while no engine answered: the next one cleans up after them."""


class DockerSandbox:
    """Runs each instance in a container that holds nothing else."""

    name = SandboxKind.DOCKER
    isolates = True

    def __init__(
        self,
        runtime: str = SHARED,
        limits: Limits | None = None,
        report: Callable[[str], None] = lambda line: None,
        *,
        packages: PackageImages | None = None,
        locked_bytes: int = LOCKED_BYTES,
        refuses_larger: bool = False,
        gvisor: str = GVISOR,
        instances: Instances = "fresh",
        warm_bytes: int = WARM_BYTES,
        clear_seconds: float = CLEAR_SECONDS,
        idle_lock_bytes: int | None = None,
    ) -> None:
        """
        Prepare a sandbox; nothing is asked of the engine before the first `load`.

        Args:
            runtime: An OCI runtime that the engine knows, for example runc, crun, or runsc; auto: `gvisor` if it knows
                that, else runc.
            limits: What one container may use.
            report: Called, from another thread, with one line before each step that takes seconds, and if containers
                may be left in the end.
            packages: Images with the packages of bots; with those that pip is set to find if None.
            locked_bytes: The largest image whose files are kept in memory. A larger one plays under gVisor, if the
                engine knows it.
            gvisor: The engine's name for that runtime.
            instances: Whether bots for which that can be done are forked in warm containers.
            warm_bytes: Memory that warm containers without an instance may have together.
            clear_seconds: Seconds that a warm container may take to clean up.
            idle_lock_bytes: Memory of images that do not play, all together; None: a share of the machine's.
            refuses_larger: Whether to refuse it where there is no gVisor; if not, its files are read before each table.
        """
        self.runtime = runtime
        self.limits = limits or Limits()
        self._report = report
        self._packages = packages or PackageImages(Packages(report=report))
        self.id = secrets.token_hex(8)
        """Id of this sandbox, which its containers have as a label."""
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="docker")
        self._loading = asyncio.Lock()
        self._client: DockerClient | None = None
        self._locked_bytes = locked_bytes
        self._refuses_larger = refuses_larger
        self._gvisor = gvisor
        self._instances = instances
        self._make_starter = partial(Starter, warm_bytes=warm_bytes, clear_seconds=clear_seconds)
        self._starter: Starter | None = None
        self._images = LockedImages(self._lock_image, self._unlock_image, self._playing, max_bytes=idle_lock_bytes)
        self._base: str | None = None
        self._witnesses: dict[str, WitnessProgram] = {}

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
                sources = SourceBuild(self.runtime, self.id, self._report)
                build = partial(image_of_folder, report=self._report, build=sources)
                built = await self._call(build, client, bot, base, self._packages)
                image, lock = built.image, built.lock
        await self._call(inspect_image, client, image, bot.image or str(bot.folder), self.id)
        plan = await self._call(make_plan, client, image, self.runtime, bot.can_fork, self._gvisor)
        plan = self._isolate_if_large(plan, bot.name)
        files = await self._keep_in_memory(plan)
        program = DockerProgram(plan, files, self._instances_of, partial(self._start, plan, files), lock)
        program.on_never_forked = partial(self._say_never_forked, bot.name)
        program.witness = self._witnesses.setdefault(plan.runtime, WitnessProgram(plan.runtime, self._start_witness))
        return program

    async def close(self) -> None:
        """Remove every container of this sandbox and close the engine; the next sandbox removes what this cannot."""
        try:
            if self._starter is not None:
                await self._starter.close()
            await self._images.close()
        finally:
            # Starts that were cancelled are still under way in their threads.
            await asyncio.to_thread(self._pool.shutdown)
            client, self._client = self._client, None
            if client is not None:
                await asyncio.to_thread(self._remove_all, client)

    def _remove_all(self, client: DockerClient) -> None:
        try:
            containers.remove_sandbox(client, self.id)
        except SandboxError as error:
            _LEFT_BEHIND.add(self.id)
            self._report(f"Containers may be left, until bots are started again: {error}")
        finally:
            client.close()

    async def _open(self) -> DockerClient:
        if self._client is None:
            client = await self._call(connect)
            await self._call(containers.sweep, client)
            for sandbox in list(_LEFT_BEHIND):
                await self._call(containers.remove_sandbox, client, sandbox)
                _LEFT_BEHIND.discard(sandbox)
            self._client = client
            self._starter = self._make_starter(client, self._pool, self.limits, self.id)
        return self._client

    async def _base_image(self, client: DockerClient) -> str:
        if self._base is None or not await self._call(has_base_image, client, self._base):
            self._base = await self._call(ensure_base_image, client, self._report)
        return self._base

    def _say_never_forked(self, name: str, end: Exit) -> None:
        self._report(
            f"{name} crashed when it was forked, before it took its seat ({end}). Each further instance gets a "
            "container of its own, which takes more CPU time."
        )

    def _isolate_if_large(self, plan: ContainerPlan, name: str) -> ContainerPlan:
        if plan.size <= self._locked_bytes or has_own_kernel(plan.runtime):
            return plan
        if self._gvisor in plan.engine.runtimes:
            return replace(plan, runtime=self._gvisor)
        if self._refuses_larger:
            raise BotRejected(
                f"The image of {name} has {plan.size:,} bytes. Up to {self._locked_bytes:,} are kept in memory while a "
                "bot plays (setting locked_bytes); a larger image needs gVisor, which this engine does not have. Make "
                "the image smaller, or ask the organiser for either."
            )
        return plan

    async def _keep_in_memory(self, plan: ContainerPlan) -> ImageFiles:
        """Let no container find the files of its image other than the next one does."""
        if has_own_kernel(plan.runtime):
            assert self._client is not None
            await self._call(check_reach, self._client, plan, self.id, self.limits)
            return "isolated"
        return await self._images.ensure(plan)

    async def _lock_image(self, plan: ContainerPlan) -> ImageLock:
        assert self._client is not None
        may_lock = plan.size <= self._locked_bytes
        max_bytes = self._locked_bytes if may_lock else 2 * plan.size  # a file with several names counts for each
        lock = partial(lock_image, may_lock=may_lock)
        return await self._call(lock, self._client, plan, self.id, max_bytes)

    async def _unlock_image(self, lock: ImageLock) -> None:
        if lock.container:
            await self._call(containers.discard, self._client, lock.container)

    def _playing(self) -> set[ContainerPlan]:
        return self._starter.playing() if self._starter is not None else set()

    async def _start(self, plan: ContainerPlan, files: ImageFiles, mount: SeatMount) -> DockerInstance | WarmInstance:
        assert self._starter is not None
        if await self._keep_in_memory(plan) != files:
            raise SandboxError(f"The files of the image {plan.image} cannot be kept in memory any more.")
        if self._instances_of(plan) == "warm" and mount.deals is not None:
            try:
                return await self._starter.start(plan, mount, is_warm=True)
            except NoControlGroup:
                self._fork_none()
        return await self._starter.start(plan, mount, is_warm=False)

    async def _start_witness(self, runtime: str, mount: SeatMount) -> DockerInstance | WarmInstance:
        assert self._client is not None
        assert self._starter is not None
        async with self._loading:  # a ladder whose bots are all images has no base image yet
            base = await self._base_image(self._client)
        image = await self._call(base_image_id, self._client, base)
        plan = await self._call(make_plan, self._client, image, runtime)
        return await self._starter.start(replace(plan, command=("python3", *WITNESS)), mount, is_warm=False)

    def _fork_none(self) -> None:
        if self._instances != "fresh":
            self._instances = "fresh"
            self._report(
                "The control groups of containers cannot be read here: is /proc mounted with hidepid, or "
                "/sys/fs/cgroup missing? So no bot is forked: each instance gets a container of its own, which takes "
                "more CPU time."
            )

    def _instances_of(self, plan: ContainerPlan) -> Instances:
        return "fresh" if plan.fork is None else self._instances

    async def _call(self, function: Callable[..., T], *arguments: object) -> T:
        return await asyncio.wrap_future(self._pool.submit(function, *arguments))


class DockerProgram:
    """An image, ready to start."""

    def __init__(
        self,
        plan: ContainerPlan,
        image_files: ImageFiles,
        instances: Callable[[ContainerPlan], Instances],
        start: Callable[[SeatMount], Awaitable[DockerInstance | WarmInstance]],
        lock: str | None = None,
    ) -> None:
        self._plan = plan
        self._image_files = image_files
        self._instances = instances
        self._start = start
        self._lock = lock
        self.witness: WitnessProgram | None = None
        """See `Program`."""
        self.on_never_forked: Callable[[Exit], None] = lambda end: None
        """Called once with the end that has shown that no instance should be forked."""

    @property
    def identity(self) -> str:
        """The image's id: `sha256:` and 64 hexadecimal digits."""
        return self._plan.image

    @property
    def can_fork(self) -> bool:
        """True if its image is a base of ours and files, and no instance that was forked has crashed at its start."""
        return self._plan.fork is not None

    @property
    def lock(self) -> str | None:
        """Packages that we put into the image; None: none."""
        return self._lock

    @property
    def image_files(self) -> ImageFiles:
        """``locked`` in memory, ``read`` before each start, or ``isolated`` by a kernel of their own."""
        return self._image_files

    @property
    def runtime(self) -> str:
        """The OCI runtime of its containers."""
        return self._plan.runtime

    @property
    def instance_kind(self) -> Instances:
        """``warm`` if instances that play are forked in warm containers, ``fresh`` if each gets a container."""
        return self._instances(self._plan)

    def never_fork(self, end: Exit) -> None:
        """Give each further instance a container of its own."""
        if self.can_fork:
            self._plan = replace(self._plan, fork=None)
            self.on_never_forked(end)

    async def start(self, mount: SeatMount) -> DockerInstance | WarmInstance:
        """
        Start one fresh instance: in a container of its own, unless it can be forked for known deals in a warm one.

        Raises:
            SandboxError: If the engine fails.
        """
        return await self._start(mount if self.can_fork else replace(mount, deals=None))


class WitnessProgram:
    """A program of ours on the bot base image, ready to start: it takes its seat and does nothing else."""

    identity = "witness"
    image_files = None
    instance_kind: Instances = "fresh"
    witness = None

    def __init__(
        self, runtime: str, start: Callable[[str, SeatMount], Awaitable[DockerInstance | WarmInstance]]
    ) -> None:
        self.runtime = runtime
        """The OCI runtime of its containers."""
        self._start = start

    def never_fork(self, end: Exit) -> None:
        """Do nothing: it is never forked."""

    async def start(self, mount: SeatMount) -> DockerInstance | WarmInstance:
        """
        Start one instance, in a container of its own.

        Raises:
            SandboxError: If the engine fails.
        """
        return await self._start(self.runtime, mount)
