"""The result of a check, as a table."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from ladder.cli.play.result_table import print_reasons
from ladder.sandbox.host.memory import MIB
from ladder.terminal.sanitize import in_markup, sanitize
from ladder.values.text import counted
from pigpen.check.run import UNTRIED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.values.check import CaseResult, CheckResult


def print_check(found: CheckResult, console: Console | None = None, *, verbose: bool = False) -> None:
    """
    Print a row for each variant that passes and for each case of the others, what failed and why, what the bot used.

    Args:
        found: The outcome.
        console: Where to; by default standard output.
        verbose: Print a row for each case in any case.
    """
    console = console or Console()
    table = Table(title=f"{in_markup(found.bot)} ({found.sandbox})", title_justify="left")
    for heading in ("", "in", "case", "worst ms"):
        table.add_column(heading, justify="right" if heading == "worst ms" else "left")
    for group, grouped in groupby(found.cases, key=lambda case: case.group):
        cases = list(grouped)
        if not verbose and all(case.passed for case in cases):
            table.add_row(_mark(cases[0]), in_markup(group), f"all {len(cases)}", _worst(max(cases, key=_slowness)))
            continue
        table.add_section()
        for place, case in enumerate(cases):
            table.add_row(_mark(case), "" if place else in_markup(group), in_markup(case.case), _worst(case))
        table.add_section()
    console.print(table)
    failed = (case for case in found.cases if not case.passed and case.verdict != UNTRIED)
    print_reasons(console, ((f"{one.group}: {one.case}: {one.verdict}: {one.reason}", one.output) for one in failed))
    console.print(sanitize(_summary(found), spared="\n"), markup=False, highlight=False, soft_wrap=True)


def _mark(case: CaseResult) -> str:
    if case.verdict == UNTRIED:
        return "–"
    return "[green]✓[/green]" if case.passed else "[red]✗[/red]"


def _slowness(case: CaseResult) -> float:
    return case.worst_ms or 0.0


def _worst(case: CaseResult) -> str:
    return "" if case.worst_ms is None else f"{case.worst_ms:.2f}"


def _summary(found: CheckResult) -> str:
    untried = [case for case in found.cases if case.verdict == UNTRIED]
    failed = sum(not case.passed for case in found.cases) - len(untried)
    count = counted(len(found.cases), "case")
    sentences = f"{failed} of {count} failed." if failed else f"{'All ' * (len(found.cases) > 1)}{count} passed."
    if untried:
        sentences += f" {counted(len(untried), 'was', 'were')} not tried: {untried[0].reason}."
    used = "; ".join(_used(found))
    return f"{sentences}\n{used[:1].upper()}{used[1:]}." if used else sentences


def _used(found: CheckResult) -> Iterator[str]:
    """Describe the resources that the bot used, as far as they are known."""
    if found.start_up_ms is not None:
        yield f"start-up {found.start_up_ms / 1000:.2f} s"
    if think := found.think_ms:
        yield f"thinking {think['median']:.2f} ms at the median, {think['worst']:.2f} ms at worst"
    if found.peak_memory_bytes is not None:
        yield f"peak memory {found.peak_memory_bytes / MIB:.0f} MiB"
