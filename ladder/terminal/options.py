"""Options that several commands share, and the sandboxes that they describe."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.errors import UserError
from ladder.matches.kinds import open_sandbox as open_kind
from ladder.sandbox.bots.bot_source import unread_packages
from ladder.terminal.sanitize import sanitize
from ladder.values.clocks import DEFAULT_CLOCK_TEXT as DEFAULT_CLOCK_TEXT
from ladder.values.clocks import MAX_LIMIT as MAX_LIMIT
from ladder.values.clocks import MIN_LIMIT
from ladder.values.sandbox_kind import WITHOUT_ENGINE, SandboxKind, SandboxSetup

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from ladder.sandbox.base import Sandbox
    from ladder.sandbox.bots.bot_source import BotSource

RulesOption = Annotated[str, typer.Option(help="A preset (see: pigpen rules) or a TOML file.")]
SeedOption = Annotated[str, typer.Option(help="Any text, or 64 hex digits. The same seed gives the same cards.")]
SandboxOption = Annotated[SandboxKind, typer.Option(help="The sandbox in which the bots run.")]
ClockOption = Annotated[
    str, typer.Option(help="A bot's time: seconds for the match + seconds added for each decision.")
]
LimitOption = Annotated[float, typer.Option(min=MIN_LIMIT, max=MAX_LIMIT, help="Maximum seconds for one decision.")]
ConcurrencyOption = Annotated[
    int | None,
    typer.Option(min=1, help="Number of rotations to play at once. By default: the number of cores, less one."),
]
FreshOption = Annotated[
    bool,
    typer.Option("--fresh", help="Start each instance of a bot in a container or process of its own; none is forked."),
]
StderrOption = Annotated[
    bool, typer.Option("--log-to-stderr/--no-log-to-stderr", hidden=True, help="Write each event to stderr, too.")
]
RuntimeOption = Annotated[
    str, typer.Option(help="The OCI runtime of the docker sandbox; auto: gVisor if the engine has it, else runc.")
]

PACE = 0.5
"""Seconds that a person sees a card before the next one, if no option says otherwise."""


def setup_of(kind: SandboxKind, runtime: str, *, fresh: bool) -> SandboxSetup:
    """Give the setup of the sandbox for a match on this machine."""
    return SandboxSetup(kind, runtime, instances="fresh" if fresh else "warm")


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
