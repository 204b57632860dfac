"""How a match went: the table a person reads, and the same as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.play import Played
    from referee.match import MatchSpec
    from referee.record import BotResult, DealLine

LOG_LINES = 12
"""How many lines of a failed bot's output are shown."""


def print_result(spec: MatchSpec, played: Played, deals: Sequence[DealLine], console: Console | None = None) -> None:
    """Print the table, best bot first, and what went wrong with whom."""
    console = console or Console()
    result = played.result
    count = f"{result.deals} deal{'s' * (result.deals != 1)}"
    better = "low" if spec.rules.low_is_better else "high"
    table = Table(title=f"{escape(spec.rules.title)}: {count} ({better} is better)", title_justify="left")
    for heading in ("place", "bot", "points/deal", "total", "faults", "median ms", "worst ms"):
        table.add_column(heading, justify="left" if heading == "bot" else "right")
    for row in sorted(result.results, key=lambda row: (row.place, row.seat)):
        table.add_row(*_cells(row))
    console.print(table)
    console.print(f"seed {result.seed}", style="dim", soft_wrap=True)
    for row in result.results:
        if row.faults:
            _print_faults(console, row, deals, played.logs[row.seat])


def print_json(spec: MatchSpec, played: Played, deals: Sequence[DealLine]) -> None:
    """Print the result as one JSON object; each bot with the reasons of its faults and the end of its output."""
    result = played.result.model_dump(mode="json", exclude={"type"})
    for row in result["results"]:
        row["why"] = [step.why for line in deals for step in line.steps if step.seat == row["seat"] and step.why]
        row["log"] = played.logs[row["seat"]]
    typer.echo(json.dumps({"rules": spec.rules.name, "format": str(spec.format), **result}, ensure_ascii=False))


def _cells(row: BotResult) -> tuple[str, ...]:
    return (
        str(row.place),
        escape(row.bot),
        f"{row.points_per_deal:+.2f}",
        f"{row.total:+d}",
        f"{row.faults} (taken over)" if row.taken_over else str(row.faults),
        f"{row.think_ms['median']:.2f}",
        f"{row.think_ms['worst']:.2f}",
    )


def _print_faults(console: Console, row: BotResult, deals: Sequence[DealLine], log: str) -> None:
    console.print(f"\n[bold]{escape(row.bot)}[/bold] (seat {row.seat}) was at fault:")
    for line in deals:
        for step in line.steps:
            if step.seat == row.seat and step.why:
                verdict = step.by.removeprefix("default:")
                console.print(f"  deal {line.deal}: {verdict}: {step.why}", markup=False, highlight=False)
    tail = log.strip().splitlines()[-LOG_LINES:]
    if tail:
        console.print("  The end of its output:")
        for text in tail:
            console.print(f"    {text}", markup=False, highlight=False, soft_wrap=True)
