"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from ladder.values.clocks import DEFAULT_CLOCK_TEXT as DEFAULT_CLOCK_TEXT
from ladder.values.clocks import MAX_LIMIT as MAX_LIMIT
from ladder.values.clocks import MIN_LIMIT
from ladder.values.sandbox_kind import SandboxKind, SandboxSetup

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
