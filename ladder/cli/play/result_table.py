"""The result of a match, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from ladder.cli.results.logs_text import print_rotations
from ladder.sandbox.excerpt import advice, excerpt, likeness, without_changing
from ladder.terminal.sanitize import in_markup, sanitize
from ladder.values.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ladder.values.play import PlayedBot, PlayedMatch
    from referee.match.formats import MatchSpec

MAX_FAULTS = 10
"""Faults that are printed of one bot; the JSON has all."""


def print_result(spec: MatchSpec, found: PlayedMatch, console: Console | None = None, *, output: bool = False) -> None:
    """Print the table, best bot first, and the faults of each bot; with *output* all that bots printed, too."""
    console = console or Console()
    better = "low" if spec.rules.low_is_better else "high"
    title = f"{in_markup(spec.rules.title)}: {_length(spec, found.deals)} ({better} is better)"
    table = Table(title=title, title_justify="left")
    for heading in ("place", "bot", "points/deal", "total", "faults", "median ms", "worst ms"):
        table.add_column(heading, justify="left" if heading == "bot" else "right")
    for row in sorted(found.results, key=lambda row: (row.place, row.seat)):
        table.add_row(*_cells(row))
    console.print(table)
    console.print(f"seed {found.seed}", style="dim", soft_wrap=True)
    for row in found.results:
        if row.faults:
            _print_faults(console, row)
    for row in found.results if output else ():
        printed = "printed:" if row.rotations else "printed nothing."
        console.print(f"\n[bold]{in_markup(row.bot)}[/bold] (seat {row.seat}) {printed}")
        print_rotations(console, row.rotations)


def _length(spec: MatchSpec, deals: int) -> str:
    count = counted(deals, "deal")
    if spec.format.boards is None:
        return count
    return f"{counted(spec.format.boards, 'board')}, {count}"


def _points(row: PlayedBot) -> str:
    error = "" if row.standard_error is None else f" ± {row.standard_error:.2f}"
    return f"{row.points_per_deal:+.2f}{error}"


def _cells(row: PlayedBot) -> tuple[str, ...]:
    return (
        str(row.place),
        in_markup(row.bot),
        _points(row),
        f"{row.total:+d}",
        f"{row.faults} (taken over)" if row.taken_over else str(row.faults),
        f"{row.think_ms['median']:.2f}",
        f"{row.think_ms['worst']:.2f}",
    )


def _print_faults(console: Console, row: PlayedBot) -> None:
    """Print the faults of one bot; of those that are alike the first one, and what the bot printed in that rotation."""
    console.print(f"\n[bold]{in_markup(row.bot)}[/bold] (seat {row.seat}) was at fault:")
    shown: set[tuple[str, str]] = set()
    logs: set[str] = set()
    for log in row.rotations:
        like = likeness(log.printed)
        before = len(shown)
        for fault in log.faults:
            key = (without_changing(f"{fault.verdict}: {fault.why}"), "" if fault.exit_code is None else like)
            if key not in shown and len(shown) < MAX_FAULTS:
                shown.add(key)
                console.print(sanitize(f"  {fault}"), markup=False, highlight=False)
        if len(shown) > before and like not in logs:
            logs.add(like)
            print_log(console, log.printed)
    if row.faults > len(shown):
        alike = "like these" if len(shown) < MAX_FAULTS else "of these and other kinds"
        console.print(f"  … and {row.faults - len(shown)} more {alike}; --json has all.", highlight=False)


def print_log(console: Console, log: str) -> None:
    """Print beginning and end of what a bot wrote, if it wrote anything, and what may help."""
    lines = excerpt(log)
    if lines:
        console.print("  Its output:")
        for text in lines:
            console.print(f"    {sanitize(text.expandtabs())}", markup=False, highlight=False, soft_wrap=True)
    if text := advice(log):
        console.print(f"  {sanitize(text)}", markup=False, highlight=False, soft_wrap=True)


def print_reasons(console: Console, reasons: Iterable[tuple[str, str]]) -> None:
    """
    Say what failed, with the bot's output where that is not the same as before.

    Args:
        console: Where to.
        reasons: For each failure a sentence, and the output.
    """
    shown = {""}
    for sentence, output in reasons:
        console.print(sanitize(f"✗ {sentence}"), markup=False, highlight=False, soft_wrap=True)
        if (like := likeness(output)) not in shown:
            shown.add(like)
            print_log(console, output)
