"""Options that several commands share, and how what is typed there is read."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from ladder.cli.problems import UserError
from ladder.cli.sandboxes import SandboxName
from pigpen import ClockSetting
from referee.match import DEFAULT_CLOCK

RulesOption = Annotated[str, typer.Option(help="A preset (see: pigpen rules) or a TOML file.")]
SeedOption = Annotated[str, typer.Option(help="Any text, or 64 hex digits: the same seed, the same cards.")]
SandboxOption = Annotated[SandboxName, typer.Option(help="How the bots are kept.")]
ClockOption = Annotated[str, typer.Option(help="Seconds in the bank + seconds added for each decision.")]
LimitOption = Annotated[float, typer.Option(min=0.001, max=3600, help="Most seconds for one decision.")]
ConcurrencyOption = Annotated[
    int | None,
    typer.Option(min=1, help="Play boards at so many tables at once. By default: a table for each core but one."),
]
RuntimeOption = Annotated[str, typer.Option(help="The OCI runtime of the docker sandbox.")]

DEFAULT_CLOCK_TEXT = f"{DEFAULT_CLOCK.bank:g}+{DEFAULT_CLOCK.increment:g}"
MOST_SECONDS = 1_000_000


def clock_of(text: str, limit: float) -> ClockSetting:
    """Read a clock as it is typed, 60+0.1, with *limit* seconds for each decision."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?", text)
    if not found:
        raise UserError(f"{text!r} is not a clock; write seconds in the bank + seconds for each decision: 60+0.1")
    bank, increment = float(found[1]), float(found[2] or 0)
    if bank + increment > MOST_SECONDS:
        raise UserError(f"The clock {text!r} is too long; at most {MOST_SECONDS} seconds.")
    if not bank + increment:
        raise UserError(
            f"The clock {text!r} leaves no time; write seconds in the bank + seconds for each decision: 60+0.1"
        )
    return ClockSetting(bank, increment, limit, DEFAULT_CLOCK.start_up)
