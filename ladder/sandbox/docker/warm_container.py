"""
Warm containers: each has a fork server inside, and a socket over which it takes commands.

The pool has those that no instance is in, and decides which one may be used next, and which have to go.
"""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import SandboxError
from ladder.sandbox.docker.limits import SEAT_FOLDER, environment
from ladder.sandbox.host.scratch import bind_visible, disk_errors, make_visible, make_visible_folder, scratch_folder
from ladder.values.sandbox_kind import WARM_BYTES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ladder.sandbox.base import SeatMount
    from ladder.sandbox.docker.container_plan import ContainerPlan
    from ladder.sandbox.docker.control_group import ControlGroup

CONTROL = "control.sock"
"""File name of the socket, which the fork server knows too; gone once it has connected."""
START, CLEAR = "s", "c"
"""Commands to the fork server."""
SEAT = "seat"
"""The folder of the seat of the present instance, in the container's own."""
ENVIRONMENT = "environment.json"
"""In the seat's folder: the variables that the instance takes for its own, and the fork server never sees."""
START_SECONDS = 30.0
"""Seconds that a fork server may take until it is ready."""
CLEAR_SECONDS = 5.0
"""Seconds that it may take to clean up; usually a few milliseconds. A container that needs longer is removed."""


class ControlSocket:
    """The socket in a container's folder on which its fork server reports."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        root = self._stack.enter_context(scratch_folder())
        self.folder = root / "container"
        """The folder of the host that the container sees."""
        make_visible_folder(self.folder)
        listener = self._stack.enter_context(socket.socket(socket.AF_UNIX))
        listener.setblocking(False)
        bind_visible(listener, self.folder / CONTROL)
        listener.listen(1)
        self._listener = listener

    async def accept(self, seconds: float = START_SECONDS) -> asyncio.StreamReader:
        """
        Wait until the fork server is ready.

        Raises:
            SandboxError: If it takes longer than *seconds* seconds.
        """
        try:
            async with asyncio.timeout(seconds):
                connection, _ = await asyncio.get_running_loop().sock_accept(self._listener)
                (self.folder / CONTROL).unlink()
                self._listener.close()
                reader, self._writer = await asyncio.open_unix_connection(sock=connection)
                line = (await reader.readline()).decode(errors="replace").strip()
        except TimeoutError as error:
            raise SandboxError(f"The fork server of a warm container was not ready within {seconds:g} s.") from error
        if line != "ready":
            raise SandboxError(
                f"The fork server of a warm container ended before it was ready: {line or 'it was killed'}."
            )
        return reader

    def send(self, command: str) -> None:
        """Send a command, a letter; one that does not arrive is noticed when the socket ends."""
        self._writer.write(command.encode())

    def close(self) -> None:
        """Close it, with which the container ends, and remove its folder; may be called twice."""
        if hasattr(self, "_writer"):
            self._writer.close()
        self._stack.close()


class WarmContainer:
    """Starts instances one after the other; never two that see the same deals."""

    def __init__(
        self,
        name: str,
        plan: ContainerPlan,
        group: ControlGroup,
        control: ControlSocket,
        reader: asyncio.StreamReader,
        clear_seconds: float = CLEAR_SECONDS,
    ) -> None:
        """
        Take over a container whose fork server is ready.

        Args:
            name: The container's name.
            plan: What its instances start from.
            group: Its control group; closed with this object.
            control: The socket over which its server takes commands.
            reader: The server's messages.
            clear_seconds: Seconds that it may take to clean up.
        """
        self.name = name
        self.plan = plan
        self.group = group
        self.seen: set[str] = set()
        """The deals that instances have seen here (`SeatMount.deals`)."""
        self.lost = asyncio.Event()
        """Set when the fork server is gone, and with it the container."""
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        """The wait status of the present instance, once it has ended."""
        self._cleared: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._control = control
        self._clear_seconds = clear_seconds
        self._seat: Path | None = None
        self._listening = asyncio.ensure_future(self._listen(reader))

    def start(self, seat: Path) -> None:
        """
        Fork an instance.

        Args:
            seat: The folder of its seat; moved into the container's folder, with a link in its place, until `clear`.

        Raises:
            SandboxError: If the folder cannot be moved.
        """
        loop = asyncio.get_running_loop()
        self.ended, self._cleared = loop.create_future(), loop.create_future()
        inside = self._control.folder / SEAT
        with disk_errors(inside):
            seat.rename(inside)
            seat.symlink_to(inside)
        self._seat = seat
        self.group.unpin()
        self._control.send(START)

    async def clear(self) -> bool:
        """End the instance, and say whether nothing of it is left."""
        self._control.send(CLEAR)
        lost = asyncio.ensure_future(self.lost.wait())
        await asyncio.wait((self._cleared, lost), timeout=self._clear_seconds, return_when=asyncio.FIRST_COMPLETED)
        lost.cancel()
        self._move_back()
        return self._cleared.done() and self._cleared.result() == "cleared"

    def close(self) -> None:
        """Close its files and give back its folder; the caller removes the container."""
        self._listening.cancel()
        self._move_back()
        self._control.close()
        self.group.close()

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        with suppress(OSError, ValueError):  # a connection that was reset, and a line that no fork server sends
            while line := (await reader.readline()).decode().strip():
                word, _, rest = line.partition(" ")
                if word == "ended" and not self.ended.done():
                    self.ended.set_result(int(rest))
                elif word in ("cleared", "unclear") and not self._cleared.done():
                    self._cleared.set_result(line)
        self.lost.set()

    def _move_back(self) -> None:
        """Put the folder of the seat where it was: its owner removes it."""
        seat, self._seat = self._seat, None
        if seat is not None:
            with suppress(OSError):  # its owner is ahead of us
                seat.unlink()
                (self._control.folder / SEAT).rename(seat)


def write_environment(mount: SeatMount) -> None:
    """
    Put the variables of an instance into its seat's folder.

    Raises:
        SandboxError: If there is no room.
    """
    file = mount.folder / ENVIRONMENT
    with disk_errors(file):
        make_visible(mount.folder)
        file.write_text(json.dumps(environment(f"{SEAT_FOLDER}/{SEAT}", mount.token)), encoding="utf-8")
        file.chmod(0o644)


MAX_USES = 1000
"""Instances after which a container is removed: it keeps traces of each of them, and a new one costs them no time."""
IDLE_SECONDS = 600.0
"""Seconds without use after which a container is removed."""


class WarmPool:
    """Keeps containers between instances, those used last for longest."""

    def __init__(
        self,
        launch: Callable[[ContainerPlan], Awaitable[WarmContainer]],
        remove: Callable[[WarmContainer], Awaitable[None]],
        max_bytes: int = WARM_BYTES,
        idle_seconds: float = IDLE_SECONDS,
        max_uses: int = MAX_USES,
    ) -> None:
        """
        Begin with none.

        Args:
            launch: Makes a container.
            remove: Removes one.
            max_bytes: What those without an instance may have together.
            idle_seconds: Seconds that one may be without an instance.
            max_uses: Instances that one may have, one after the other.
        """
        self._launch = launch
        self._remove = remove
        self._max_bytes = max_bytes
        self._idle_seconds = idle_seconds
        self._max_uses = max_uses
        self._idle: dict[WarmContainer, asyncio.TimerHandle] = {}
        """The one used last at the end, each with what will remove it."""
        self._removing: set[asyncio.Task[None]] = set()

    def plans(self) -> set[ContainerPlan]:
        """Give the images of the idle containers."""
        return {container.plan for container in self._idle}

    async def take(self, plan: ContainerPlan, deals: str) -> WarmContainer:
        """
        Give a container in which no instance has seen *deals*; a new one if there is none.

        Raises:
            SandboxError: If none can be made.
        """
        for container in [each for each in self._idle if each.lost.is_set()]:
            self._drop(container)
        fitting = [each for each in self._idle if each.plan == plan and deals not in each.seen]
        if fitting:
            container = fitting[-1]
            self._idle.pop(container).cancel()
        else:
            container = await self._launch(plan)
        container.seen.add(deals)
        return container

    async def give_back(self, container: WarmContainer, is_clear: bool) -> None:
        """Keep a container for the next instance, if it is clear; make room for it."""
        if not is_clear or container.lost.is_set() or len(container.seen) >= self._max_uses:
            await self._remove(container)
            return
        later = asyncio.get_running_loop().call_later(self._idle_seconds, self._drop, container)
        self._idle[container] = later
        while len(self._idle) > 1 and self._bytes() > self._max_bytes:
            self._drop(next(iter(self._idle)))

    async def close(self) -> None:
        """Remove them all."""
        for container in list(self._idle):
            self._drop(container)
        await asyncio.gather(*self._removing, return_exceptions=True)

    def _bytes(self) -> int:
        return sum(container.group.memory() or 0 for container in self._idle)

    def _drop(self, container: WarmContainer) -> None:
        self._idle.pop(container).cancel()
        removing = asyncio.ensure_future(self._remove(container))
        self._removing.add(removing)
        removing.add_done_callback(self._removing.discard)
