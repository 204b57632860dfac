"""The sandboxes as options of the command."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import typer

from ladder.errors import UserError
from ladder.matches.kinds import open_sandbox as open_kind
from ladder.sandbox.bots.bot_source import unread_packages
from ladder.terminal.sanitize import sanitize
from ladder.values.sandbox_kind import WITHOUT_ENGINE, SandboxKind, SandboxSetup

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from ladder.sandbox.base import Sandbox
    from ladder.sandbox.bots.bot_source import BotSource


NO_PROCESSES = "Bots in processes need Linux or macOS. Play bots that you trust with --sandbox inline."


def open_sandbox(setup: SandboxSetup) -> Sandbox:
    """Open a sandbox, and tell of long steps; a weak one says so."""
    if setup.kind is SandboxKind.PROCESS:
        if WITHOUT_ENGINE is not SandboxKind.PROCESS:
            raise UserError(NO_PROCESSES)
        say("The process sandbox does not keep bots from your files. Use it only for bots that you trust.")
    return open_kind(setup, say)


@asynccontextmanager
async def opened_sandbox(setup: SandboxSetup) -> AsyncIterator[Sandbox | None]:
    """Yield the sandbox, closed in the end; None for bots in this process, which need none."""
    sandbox = None if setup.kind is SandboxKind.INLINE else open_sandbox(setup)
    try:
        yield sandbox
    finally:
        if sandbox is not None:
            await sandbox.close()


def say_what_is_not_read(sources: Iterable[BotSource]) -> None:
    """Tell of files that name packages in other ways than Pigpen reads."""
    for source in sources:
        if source.folder is not None and (name := unread_packages(source.folder)):
            say(f"{name} of {source.name} is not read: name its packages in a requirements.txt beside bot.py.")


def say_how_grpc_runs() -> None:
    """Tell if decisions take more CPU time here than they must."""
    from pigpen.wire.blocking_stream import WHY_SLOW  # gRPC takes a while to import

    if WHY_SLOW is not None:
        say(f"Decisions take more CPU time than they must ({WHY_SLOW}). For details run: pigpen doctor")


def say(line: str) -> None:
    """Tell of a step, beside what the command prints."""
    typer.echo(sanitize(line), err=True)
