"""
Images whose files are kept in memory: those that play, and some that played last.

One container keeps the files of one image in memory, by plain blocking calls. Containers of an image, and of images
that stand on one base, share the page cache of its files: one evicts a page, and the next one sees that it is gone, or
that reading it takes longer. So nothing may leave the cache while bots play (docs/adr/0014).
"""

from __future__ import annotations

import asyncio
import os
import select
import socket
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from docker.types import LogConfig, Mount, Ulimit

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.docker.container_instance import NAME as LOG_SOCKET
from ladder.sandbox.docker.containers import container_name, discard, labels_of
from ladder.sandbox.docker.engine import ENGINE_ERRORS, before_any_bot, engine_errors
from ladder.sandbox.docker.limits import SEAT_FOLDER
from ladder.sandbox.docker.programs import LAUNCHER, LOCK_FILES, put_program
from ladder.sandbox.docker.reach import NO_SOCKET, unreachable
from ladder.sandbox.host.machine import MIB, machine_memory
from ladder.sandbox.host.scratch import bind_visible, make_visible_folder, scratch_folder
from ladder.values.names import MAX_FILES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Container, Iterator
    from typing import Any

    from docker import APIClient, DockerClient

    from ladder.sandbox.docker.container_plan import ContainerPlan
    from referee.records.lines import ImageFiles

MARGIN = 512 * MIB
"""Memory beside the files: the kernel's own records of up to 60,000 of them."""
SECONDS = 120.0
"""Seconds that reading an image may take."""

_LOOK_SECONDS = 0.5
_FAULTS = {
    4: "its files need more memory than the setting locked_bytes allows",
    5: f"it has more than {MAX_FILES:,} files and folders",
    6: "its folders are nested more than 500 deep",
}
"""Faults of the image, by the program's exit code."""


@dataclass(frozen=True)
class ImageLock:
    """Result of locking the files of an image."""

    files: ImageFiles
    """``locked`` while the container lives; or ``read``, once, and there is no container."""
    container: str = ""
    _process: int = field(default=-1, repr=False)

    def holds(self) -> bool:
        """Tell whether the files are kept in memory now; where that cannot be seen, they are taken to be."""
        return self.files == "locked" and (self._process < 0 or not _has_ended(self._process))

    def close(self) -> None:
        """Look no longer at its process."""
        if self._process >= 0:
            os.close(self._process)


def lock_image(
    client: DockerClient, plan: ContainerPlan, sandbox: str, max_bytes: int, *, may_lock: bool = True
) -> ImageLock:
    """
    Read all files of an image and keep them in memory, or, where the machine does not allow that, only read them.

    Args:
        client: The engine.
        plan: The image, and how it is started.
        sandbox: Id of the sandbox that uses it, which its containers have as a label.
        max_bytes: What the files may have together.
        may_lock: False: only read them.

    Raises:
        BotRejected: If the image is such that it cannot be done.
        EngineApart: If the engine does not see this machine's files.
        SandboxError: If the engine fails.
    """
    name = container_name()
    with scratch_folder() as scratch:
        folder = scratch / "lock"
        make_visible_folder(folder)
        for program in (LAUNCHER, LOCK_FILES):
            put_program(program, plan.engine.machine, folder)
        try:
            doing = "start the container that keeps an image in memory"
            with _listening(folder) as listener, before_any_bot(), engine_errors(doing):
                _start(client.api, name, plan, sandbox, folder, max_bytes, may_lock)
                words = _receive_line(client.api, name, listener).split()
        except BaseException:
            discard(client, name)
            raise
    if not words:
        return _failed(client, name, plan)
    if words[0] == "read":
        discard(client, name)
        return ImageLock("read")
    return ImageLock("locked", name, _watch(client, name))


def _start(
    api: APIClient, name: str, plan: ContainerPlan, sandbox: str, folder: Path, max_bytes: int, may_lock: bool
) -> None:
    api.create_container(
        plan.image,
        entrypoint=[f"{SEAT_FOLDER}/{LAUNCHER}"],
        command=["0", f"{SEAT_FOLDER}/{LOCK_FILES}", str(max_bytes)],
        name=name,
        user="0:0",
        labels=labels_of(sandbox),
        host_config=_host_config(api, folder, plan.runtime, max_bytes + MARGIN, may_lock),
        network_disabled=True,
        healthcheck={"test": ["NONE"]},
        use_config_proxy=False,
    )
    api.start(name)


def _host_config(api: APIClient, folder: Path, runtime: str, memory: int, may_lock: bool) -> dict[str, Any]:
    limits = {"core": 0} if may_lock else {"core": 0, "memlock": 0}
    config: dict[str, Any] = api.create_host_config(
        runtime=runtime,
        network_mode="none",
        read_only=True,
        cap_drop=["ALL"],
        cap_add=["DAC_READ_SEARCH", *(["IPC_LOCK"] if may_lock else [])],
        security_opt=["no-new-privileges:true"],
        ipc_mode="private",
        pids_limit=8,
        mem_limit=memory,
        memswap_limit=memory,
        ulimits=[Ulimit(name=name, soft=most, hard=most) for name, most in limits.items()],
        mounts=[Mount(SEAT_FOLDER, str(folder), type="bind", read_only=True)],
        log_config=LogConfig(type="none"),
    )
    return config


@contextmanager
def _listening(folder: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as listener:
        bind_visible(listener, folder / LOG_SOCKET)
        listener.listen(1)
        listener.settimeout(_LOOK_SECONDS)
        yield listener


def _receive_line(api: APIClient, name: str, listener: socket.socket) -> str:
    """Give the line that the program writes; nothing if it has ended without one."""
    deadline = time.monotonic() + SECONDS
    connection: socket.socket | None = None
    received = b""
    try:
        while not received.endswith(b"\n"):
            try:
                if connection is None:
                    connection, _ = listener.accept()
                    connection.settimeout(_LOOK_SECONDS)
                data = connection.recv(256)
                received += data
                if not data:
                    return ""
            except TimeoutError:
                if time.monotonic() > deadline:
                    raise SandboxError(f"The files of an image could not be read within {SECONDS:g} s.") from None
                if not connection and not api.inspect_container(name)["State"]["Running"]:
                    return ""
    finally:
        if connection is not None:
            connection.close()
    return received.decode("ascii", "replace")


def _failed(client: DockerClient, name: str, plan: ContainerPlan) -> ImageLock:
    """Find out why the program has ended without a line."""
    with engine_errors("look why an image could not be kept in memory"):
        client.api.wait(name, timeout=int(SECONDS))
        state = client.api.inspect_container(name)["State"]
    discard(client, name)
    if fault := _FAULTS.get(state["ExitCode"]):
        raise BotRejected(f"The image {plan.image} cannot be kept in memory while it plays: {fault}. Make it smaller.")
    if state["ExitCode"] == NO_SOCKET:
        raise unreachable()
    reason = "it ran out of memory" if state["OOMKilled"] else f"exit code {state['ExitCode']}"
    raise SandboxError(f"The files of the image {plan.image} could not be kept in memory ({reason}).")


def _watch(client: DockerClient, name: str) -> int:
    """Open a descriptor that is readable when the container's first process has ended; give -1 where there is none."""
    with suppress(*ENGINE_ERRORS, OSError, AttributeError):
        found = client.api.inspect_container(name)
        pid = int(found["State"]["Pid"])
        if found["Id"] in Path(f"/proc/{pid}/cgroup").read_text():  # the engine may be on another machine
            return os.pidfd_open(pid)
    return -1


def _has_ended(process: int) -> bool:
    poll = select.poll()
    poll.register(process, select.POLLIN)
    return bool(poll.poll(0))


MAX_IMAGES = 64
"""Images kept at one time, as long as fewer play. A lock costs a container that sleeps; images share their base."""
SHARE = 0.25
"""Share of the machine's memory that images that do not play may have together."""


class LockedImages:
    """Locks images when they are used, and unlocks those least recently used."""

    def __init__(
        self,
        lock: Callable[[ContainerPlan], Awaitable[ImageLock]],
        unlock: Callable[[ImageLock], Awaitable[None]],
        playing: Callable[[], Container[ContainerPlan]],
        max_images: int = MAX_IMAGES,
        max_bytes: int | None = None,
    ) -> None:
        """
        Begin with none.

        Args:
            lock: Locks an image, or reads it where it cannot be locked.
            unlock: Unlocks it.
            playing: The images that may not be unlocked now.
            max_images: How many to keep at most, unless more play.
            max_bytes: What they may have together, unless those that play have more; None: a share of the memory.
        """
        self._lock = lock
        self._unlock = unlock
        self._playing = playing
        self._max_images = max_images
        self._max_bytes = memory_share() if max_bytes is None else max_bytes
        self._locks: dict[ContainerPlan, asyncio.Future[ImageLock]] = {}
        """By image, the most recently used one at the end."""

    async def ensure(self, image: ContainerPlan) -> ImageFiles:
        """
        Make sure that an image's files are in memory: locked, or else read now.

        Raises:
            BotRejected: If that image cannot be kept in memory.
            SandboxError: If the engine fails.
        """
        before = self._locks.pop(image, None)
        locking = before
        if locking is None or _is_over(locking):
            locking = asyncio.ensure_future(self._lock(image))
        self._locks[image] = locking
        if before is not None and before is not locking:
            await self._let_go(before)
        try:
            lock = await asyncio.shield(locking)
        finally:
            if locking.done() and _is_over(locking) and self._locks.get(image) is locking:
                del self._locks[image]
        await self._unlock_oldest()
        return lock.files

    async def close(self) -> None:
        """Wait for what is under way; the sandbox removes the containers when it is closed."""
        locks, self._locks = list(self._locks.values()), {}
        for found in await asyncio.gather(*locks, return_exceptions=True):
            if not isinstance(found, BaseException):
                found.close()

    async def _unlock_oldest(self) -> None:
        playing = self._playing()
        idle = [image for image, lock in self._locks.items() if lock.done() and image not in playing]
        while idle and self._are_too_many():
            await self._let_go(self._locks.pop(idle.pop(0)))

    def _are_too_many(self) -> bool:
        return len(self._locks) > self._max_images or sum(image.size for image in self._locks) > self._max_bytes

    async def _let_go(self, locking: asyncio.Future[ImageLock]) -> None:
        if locking.done() and not locking.cancelled() and not locking.exception():
            lock = locking.result()
            lock.close()
            await self._unlock(lock)


def memory_share() -> int:
    """Give the bytes of this machine's memory that locked images that do not play may take."""
    return int(machine_memory() * SHARE)


def _is_over(locking: asyncio.Future[ImageLock]) -> bool:
    """Tell whether a lock that was asked for does not hold any more, or never did."""
    return locking.done() and (locking.cancelled() or bool(locking.exception()) or not locking.result().holds())
