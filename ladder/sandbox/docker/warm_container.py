"""One warm container: a fork server inside, and the socket over which it takes commands."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import SandboxError
from ladder.sandbox.docker.limits import SEAT_FOLDER, environment
from ladder.sandbox.host.scratch import disk_errors, scratch_folder
from ladder.sandbox.host.visible import bind_visible, make_visible, make_visible_folder

if TYPE_CHECKING:
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
