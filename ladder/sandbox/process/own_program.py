"""
Programs of the user's own, for debugging: started by a command, or by the user, in whatever way.

They play beside bots in any sandbox, get the user's whole environment, and are confined by nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import UserError
from ladder.sandbox.base import Exit
from ladder.sandbox.process.process_sandbox import ProcessProgram, seat_variables
from referee.seats.process_controller import NoController

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.sandbox.base import Instance, SeatMount
    from ladder.sandbox.bots.bot_source import BotSource

ENV_FILE = "seat.env"
"""File in the current folder with the address and token of the seat that waits, as debuggers read such files."""


def own_program(source: BotSource, report: Callable[[str], None]) -> OwnProgram:
    """
    Make a program of the user's ready to start.

    Args:
        source: The bot; it has a command, which is empty if the user starts the program.
        report: Takes the sentence that says how to start it, each time that a seat waits for it.
    """
    assert source.command is not None
    return StartedByCommand(source.command) if source.command else StartedByUser(report)


class OwnProgram(ProcessProgram):
    """A program of the user's: no folder, no packages, never forked."""

    def __init__(self, command: tuple[str, ...]) -> None:
        identity = f"sha256:{hashlib.sha256(chr(0).join(command).encode(errors='surrogateescape')).hexdigest()}"
        super().__init__(set(), Path.cwd(), list(command), identity)


class StartedByCommand(OwnProgram):
    """A command line that is run in the current folder for each instance."""

    def environment(self, mount: SeatMount, home: str, packages: Path | None) -> dict[str, str]:
        """Give the user's own environment: the program may need any of it."""
        return {**os.environ, **seat_variables(mount)}


class StartedByUser(OwnProgram):
    """A program that the user starts for each instance, for example under a debugger."""

    def __init__(self, report: Callable[[str], None]) -> None:
        super().__init__(())
        self._report = report
        self._file = self._folder / ENV_FILE

    async def start(self, mount: SeatMount) -> Instance:  # type: ignore[override]  # there is no process of ours
        """
        Write the address and token of the seat into the file, and say so.

        Raises:
            UserError: If the file cannot be written.
        """
        text = "".join(f"{name}={value}\n" for name, value in seat_variables(mount).items())
        try:
            self._file.unlink(missing_ok=True)
            with os.fdopen(os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(text)
        except OSError as error:
            raise UserError(f"{str(self._file)!r} cannot be written: {error.strerror}.") from None
        self._report(
            f"Waiting for your bot. {ENV_FILE} has its address and token; in a shell in this folder: "
            f"env $(cat {ENV_FILE}) COMMAND"
        )
        return AwaitedInstance(self._file)


class AwaitedInstance:
    """An instance that the user starts and ends; nothing is known of its process."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._ended: asyncio.Future[Exit] = asyncio.get_running_loop().create_future()
        self.controller = NoController()
        """It cannot be frozen, and its CPU time cannot be read."""

    async def wait(self) -> Exit:
        """Wait until its seat is closed."""
        return await asyncio.shield(self._ended)

    async def stop(self) -> None:
        """Remove the file: the seat waits no longer."""
        if not self._ended.done():
            self._ended.set_result(Exit(0))
            with contextlib.suppress(OSError):
                self._file.unlink()

    async def log_tail(self) -> str:
        """Give nothing: it writes to wherever its user has started it."""
        return ""

    async def peak_memory(self) -> int | None:
        """Give nothing: it cannot be read."""
        return None
