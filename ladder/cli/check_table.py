"""How a check went: the table a person reads, and the same as JSON."""

from __future__ import annotations

import statistics
from itertools import groupby
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Table

from ladder.cli.result_table import print_log
from ladder.cli.sanitize import harmless, in_markup, json_line
from ladder.sandbox.host.memory import MIB
from pigpen.check.run import UNTRIED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.matches.check import Report
    from pigpen.check import Outcome


def print_report(bot: str, sandbox: str, report: Report, console: Console | None = None) -> None:
    """Print a row for each case, then what failed and why, then what the bot used."""
    console = console or Console()
    table = Table(title=f"{in_markup(bot)} ({sandbox})", title_justify="left")
    for heading in ("", "in", "case", "worst ms"):
        table.add_column(heading, justify="right" if heading == "worst ms" else "left")
    for group, outcomes in groupby(report.outcomes, key=lambda outcome: outcome.group):
        for place, outcome in enumerate(outcomes):
            table.add_row(_mark(outcome), "" if place else in_markup(group), in_markup(outcome.name), _worst(outcome))
        table.add_section()
    console.print(table)
    print_failures(console, report)
    console.print(harmless(_summary(report), spared="\n"), markup=False, highlight=False, soft_wrap=True)


def print_json(bot: str, sandbox: str, report: Report) -> None:
    """Print everything as one JSON object; times in milliseconds, memory in bytes."""
    found = {
        "bot": bot,
        "sandbox": str(sandbox),
        "passed": report.passed,
        "start_up_ms": None if report.start_up is None else round(report.start_up * 1000, 3),
        "think_ms": _think_ms(report),
        "peak_memory_bytes": report.memory,
        "cases": [_plain(outcome) for outcome in report.outcomes],
    }
    typer.echo(json_line(found))


def _mark(outcome: Outcome) -> str:
    if outcome.verdict == UNTRIED:
        return "–"
    return "[green]✓[/green]" if outcome.passed else "[red]✗[/red]"


def _worst(outcome: Outcome) -> str:
    return f"{max(outcome.times) * 1000:.2f}" if outcome.times else ""


def print_failures(console: Console, report: Report) -> None:
    """Say why each case failed, with the end of the bot's output where that is not the same as before."""
    shown = ""
    for outcome in report.outcomes:
        if outcome.passed or outcome.verdict == UNTRIED:
            continue
        reason = f"✗ {outcome.group}: {outcome.name}: {outcome.verdict}: {outcome.reason}"
        console.print(harmless(reason), markup=False, highlight=False, soft_wrap=True)
        if outcome.output and outcome.output != shown:
            shown = outcome.output
            print_log(console, shown)


def _summary(report: Report) -> str:
    untried = [outcome for outcome in report.outcomes if outcome.verdict == UNTRIED]
    failed = sum(not outcome.passed for outcome in report.outcomes) - len(untried)
    count = f"{len(report.outcomes)} cases"
    sentences = f"{failed} of {count} failed." if failed else f"All {count} passed."
    if untried:
        sentences += f" {len(untried)} were not tried: {untried[0].reason}."
    used = "; ".join(_used(report))
    return f"{sentences}\n{used[:1].upper()}{used[1:]}." if used else sentences


def _used(report: Report) -> Iterator[str]:
    """What the bot used, as far as that is known."""
    if report.start_up is not None:
        yield f"start-up {report.start_up:.2f} s"
    if think := _think_ms(report):
        yield f"thinking {think['median']:.2f} ms at the median, {think['worst']:.2f} ms at worst"
    if report.memory is not None:
        yield f"peak memory {report.memory / MIB:.0f} MiB"


def _think_ms(report: Report) -> dict[str, float]:
    times = [took * 1000 for took in report.times]
    if not times:
        return {}
    return {"median": round(statistics.median(times), 3), "worst": round(max(times), 3)}


def _plain(outcome: Outcome) -> dict[str, object]:
    return {
        "group": outcome.group,
        "case": outcome.name,
        "passed": outcome.passed,
        "verdict": outcome.verdict,
        "reason": outcome.reason,
        "output": outcome.output,
        "worst_ms": round(max(outcome.times) * 1000, 3) if outcome.times else None,
    }
