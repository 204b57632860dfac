"""`pigpen check`: the conformance cases that a submission must pass, with their result as a table."""

from __future__ import annotations

import shlex
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from ladder.cli.play.play import print_reasons
from ladder.sandbox.bots.bot_source import find_bot
from ladder.sandbox.host.machine import MIB
from ladder.terminal.json_output import print_json
from ladder.terminal.options import (
    LimitOption,
    RuntimeOption,
    SandboxOption,
    opened_sandbox,
    say_how_grpc_runs,
    say_what_is_not_read,
)
from ladder.terminal.progress_bar import progress
from ladder.terminal.running import run
from ladder.terminal.sanitize import in_markup, sanitize
from ladder.values.sandbox_kind import AUTO, SandboxKind, SandboxSetup
from ladder.values.text import counted
from pigpen.check.run import UNTRIED
from pigpen.rules import PRESETS, Rules
from referee.match.formats import DEFAULT_CLOCK
from referee.records.rules_file import load_rules

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from ladder.sandbox.bots.bot_source import BotSource
    from ladder.values.local_results import CaseResult, CheckResult
    from pigpen import ClockSetting


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
            slowest = max(cases, key=lambda case: case.worst_ms or 0.0)
            table.add_row(_mark(cases[0]), in_markup(group), f"all {len(cases)}", _worst(slowest))
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


USUAL = {"limit": DEFAULT_CLOCK.limit, "runtime": AUTO}
"""Options that a command to repeat need not name."""


def check(
    bot: Annotated[str, typer.Argument(help="A sample bot's name, a folder or an image.")],
    rules: Annotated[
        list[str] | None, typer.Option(help="Try only this preset or TOML file; may be given several times.")
    ] = None,
    case: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Try only the case with this name; may be given several times."),
    ] = None,
    sandbox: SandboxOption = SandboxKind.DOCKER,
    limit: LimitOption = DEFAULT_CLOCK.limit,
    runtime: RuntimeOption = AUTO,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print a line for each case, also of variants that pass.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcomes as JSON.")] = False,
) -> None:
    """
    Run a bot through all cases that a submission must pass: exit code 0 if it passes all, 1 if it fails some.

    Examples:
        pigpen check ./mybot

        pigpen check ./mybot --rules gongzhu --sandbox process

        pigpen check ./mybot --rules hearts --case "follow suit"
    """
    variants = [load_rules(name) for name in rules] if rules else list(PRESETS.values())
    source = find_bot(bot)
    say_what_is_not_read([source])
    clock = replace(DEFAULT_CLOCK, limit=limit)
    if sandbox is SandboxKind.INLINE:
        typer.echo(
            "The inline sandbox runs only the cases about cards, not those about the connection. A submission "
            "must pass both.",
            err=True,
        )
    else:
        say_how_grpc_runs()
    found = run(_check(source, variants, clock, sandbox, runtime, case or ()), blocks=sandbox is SandboxKind.INLINE)
    if as_json:
        print_json(found)
    else:
        print_check(found, verbose=verbose or bool(case))
        _tell_how_to_repeat(found, bot, rules or [], sandbox, {"limit": limit, "runtime": runtime})
    if not found.passed:
        raise typer.Exit(1)


def _tell_how_to_repeat(
    found: CheckResult, bot: str, rules: Sequence[str], sandbox: SandboxKind, others: Mapping[str, object]
) -> None:
    """Give the command that tries one of several cases again; *others* are options that stay away by default."""
    failed = next((case for case in found.cases if not case.passed), None)
    if failed is not None and len(found.cases) > 1:
        named = rules or [failed.group] * (failed.group in PRESETS)
        options = [*(word for name in named for word in ("--rules", name)), "--case", failed.case]
        options += [
            word for name, value in others.items() if value != USUAL[name] for word in (f"--{name}", str(value))
        ]
        words = shlex.join(["pigpen", "check", bot, *options, "--sandbox", sandbox])
        typer.echo(sanitize(f"To try that case alone: {words}"))


async def _check(
    source: BotSource,
    variants: Sequence[Rules],
    clock: ClockSetting,
    kind: SandboxKind,
    runtime: str,
    only: Collection[str],
) -> CheckResult:
    from ladder.app.local.check import check_bot

    async with opened_sandbox(SandboxSetup(kind, runtime, instances="warm")) as sandbox:
        return await check_bot(source, variants, clock, sandbox, progress, only)
