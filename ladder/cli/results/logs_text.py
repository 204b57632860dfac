"""Output of a bot, with its faults in their places."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ladder.terminal.ladder_words import say
from ladder.values.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

    from ladder.values.local_results import FaultReport, RotationLog, SeatLog

_DECISION = re.compile(r"\[(\d+)\] ")
"""The beginning of each line that was printed: the decision that the bot was at (`ladder.sandbox.excerpt`)."""


def print_logs(match: int, log: SeatLog, max_lines: int, console: Console) -> None:
    """Print the last *max_lines* lines that a bot wrote in each rotation, and its faults there."""
    say(console, f"Match {match}, seat {log.seat}: {log.bot}", "bold")
    print_rotations(console, log.rotations, max_lines)


def print_rotations(console: Console, rotations: Iterable[RotationLog], max_lines: int | None = None) -> None:
    """Print what a bot wrote in each rotation, of it at most the last *max_lines* lines, and its faults there."""
    for log in rotations:
        lines = log.printed.splitlines()
        say(console, f"rotation {log.rotation}: {_summary(log.faults, len(lines))}")
        for fault in log.faults:
            say(console, f"  ✗ {fault}{_ended(fault)}")
        _print_lines(
            lines if max_lines is None else lines[-max_lines:], {fault.decision for fault in log.faults}, console
        )


def _summary(faults: Sequence[FaultReport], lines: int) -> str:
    found = counted(len(faults), "fault") if faults else "no fault"
    return f"{found}, {counted(lines, 'line') if lines else 'nothing printed'}"


def _ended(fault: FaultReport) -> str:
    if fault.exit_code is None:
        return ""
    return f" (exit code {fault.exit_code}{', out of memory' * bool(fault.oom)})"


def _print_lines(lines: Iterable[str], at_fault: set[int], console: Console) -> None:
    for line in lines:
        found = _DECISION.match(line)
        is_marked = found is not None and int(found[1]) in at_fault
        say(console, f"  {'✗' if is_marked else '│'} {line.expandtabs()}", "bold" if is_marked else None)
