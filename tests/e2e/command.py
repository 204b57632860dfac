"""The command `pigpen`, as a user types it: in this process, or in one of its own where that matters."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ladder.cli.commands import COMMANDS
from ladder.cli.typer_app import load_command
from tests.ladder.every_database import database_variables
from tests.typed import run_here

if TYPE_CHECKING:
    from collections.abc import Iterator

PIGPEN = Path(sys.executable).parent / "pigpen"
ROOT = Path(__file__).resolve().parents[2]
PLAIN = {"COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"}
"""A plain terminal, 100 columns wide."""
PATIENT = ("--clock", "600+1", "--limit", "60")
"""For a match whose record is compared: the time of processes is counted by the wall, also while others compute."""


def every_command() -> Iterator[tuple[str, Any]]:
    """Every command that does something, by its words, such as ``event draw``."""
    for top in COMMANDS:
        yield from _below(top, load_command(top))


def _below(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "commands"):
        yield name, command
        return
    for inner, each in command.commands.items():
        yield from _below(f"{name} {inner}", each)


def environment(**extra: str) -> dict[str, str]:
    """Give the environment variables of a process of the command."""
    return os.environ | PLAIN | database_variables(extra)


def pigpen(*words: str, folder: Path = ROOT, **extra: str) -> subprocess.CompletedProcess[str]:
    """
    Run ``pigpen WORDS`` in *folder*, in this process: a process of its own takes a second to import everything.

    Not for tests of signals, of limits, or of what bots do to the process that plays: those take `pigpen_process`.
    """
    return subprocess.CompletedProcess(words, *run_here(words, folder, PLAIN | extra))


def pigpen_process(*words: str, folder: Path = ROOT, **extra: str) -> subprocess.CompletedProcess[str]:
    """Run ``pigpen WORDS`` in *folder*, in a process of its own."""
    return subprocess.run(
        [PIGPEN, *words],
        cwd=folder, env=environment(**extra), capture_output=True, text=True, timeout=250, check=False,
    )  # fmt: skip


@contextmanager
def started(*words: str) -> Iterator[subprocess.Popen[str]]:
    """``pigpen WORDS`` while it runs; killed at the end if it still does."""
    with subprocess.Popen(
        [PIGPEN, *words], cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        try:
            yield program
        finally:
            program.kill()
