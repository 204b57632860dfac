"""What a bot printed, with its faults in their places."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ladder.cli.ladder_words import label, say

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from ladder.results.files import Logs
    from ladder.store.queries.faults import FaultShown
    from ladder.store.queries.matches import SeatRow

_DECISION = re.compile(r"\[(\d+)\] ")
"""What stands before each line that was printed: the decision that the bot was at (`ladder.sandbox.tail`)."""


def print_logs(
    match: int, seat: SeatRow, logs: Logs, faults: Iterable[FaultShown], most: int, console: Console
) -> None:
    """Print the end of what the bot in *seat* wrote at each table, at *most* so many lines, and what it did wrong."""
    say(console, f"Match {match}, seat {seat.seat}: {label(seat.bot, seat.version)}", "bold")
    mine = [fault for fault in faults if fault.seat == seat.seat]
    for table, tails in sorted(logs.items()):
        here = [fault for fault in mine if fault.table == table]
        lines = tails[seat.seat].splitlines()
        say(console, f"table {table}: {_summary(here, len(lines))}")
        for fault in here:
            say(console, f"  ✗ {fault.place}, decision {fault.decision}: {fault.verdict}: {fault.why}{_ended(fault)}")
        _print_lines(lines[-most:], {fault.decision for fault in here}, console)


def _summary(faults: list[FaultShown], lines: int) -> str:
    held = f"{len(faults)} fault{'s' * (len(faults) != 1)}" if faults else "no fault"
    return f"{held}, {f'{lines} lines' if lines else 'nothing printed'}"


def _ended(fault: FaultShown) -> str:
    if fault.exit_code is None:
        return ""
    return f" (exit code {fault.exit_code}{', out of memory' * bool(fault.oom)})"


def _print_lines(lines: Iterable[str], at_fault: set[int], console: Console) -> None:
    for line in lines:
        found = _DECISION.match(line)
        is_marked = found is not None and int(found[1]) in at_fault
        say(console, f"  {'✗' if is_marked else '│'} {line.expandtabs()}", "bold" if is_marked else None)
