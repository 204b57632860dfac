"""`pigpen check`: the conformance cases that a submission must pass."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.check_table import print_json, print_report
from ladder.cli.options import LimitOption, RuntimeOption, SandboxOption
from ladder.cli.progress import progress
from ladder.cli.running import run
from ladder.cli.sandboxes import SandboxName, open_sandbox
from ladder.matches.check import ConformanceCheck, Report
from ladder.matches.check_wire import WIRE
from ladder.sandbox.bots.bot_source import find_bot
from ladder.sandbox.inline import load_bot_class
from pigpen.check import cases_of
from pigpen.check import check as check_inline
from pigpen.rules import PRESETS, Rules
from referee.match.spec import DEFAULT_CLOCK
from referee.records.rules_file import load_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.sandbox.bots.bot_source import BotSource
    from pigpen import ClockSetting


def check(
    bot: Annotated[str, typer.Argument(help="A sample bot's name, a folder or an image.")],
    rules: Annotated[
        list[str] | None, typer.Option(help="Try this preset or TOML file only; may be given again.")
    ] = None,
    sandbox: SandboxOption = SandboxName.DOCKER,
    limit: LimitOption = DEFAULT_CLOCK.limit,
    runtime: RuntimeOption = "runc",
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcomes as JSON.")] = False,
) -> None:
    """
    Try a bot on every case that a submission must pass: exit code 0 if it passes all, 1 if it fails some.

    Examples:
        pigpen check ./mybot

        pigpen check ./mybot --rules gongzhu --sandbox process
    """
    variants = [load_rules(name) for name in rules] if rules else list(PRESETS.values())
    source = find_bot(bot)
    clock = replace(DEFAULT_CLOCK, limit=limit)
    if sandbox is SandboxName.INLINE:
        typer.echo("The inline sandbox tries the cards only, not the wire: a submission must pass both.", err=True)
        report = run(_check_inline(source, variants, limit), blocks=True)
    else:
        report = run(_check(source, variants, clock, sandbox, runtime))
    if as_json:
        print_json(source.name, sandbox, report)
    else:
        print_report(source.name, sandbox, report)
    if not report.passed:
        raise typer.Exit(1)


async def _check_inline(source: BotSource, variants: Sequence[Rules], limit: float) -> Report:
    with contextlib.redirect_stdout(sys.stderr):  # as the SDK's client does
        return Report(tuple(check_inline(load_bot_class(source), variants, limit)))


async def _check(
    source: BotSource, variants: Sequence[Rules], clock: ClockSetting, sandbox: SandboxName, runtime: str
) -> Report:
    pens = open_sandbox(sandbox, runtime)
    try:
        program = await pens.load(source)
        cases = len(WIRE) + sum(len(cases_of(rules)) for rules in variants)
        with progress("cases", cases) as advance:
            return await ConformanceCheck(program, clock, advance=lambda outcome: advance(outcome.group)).run(variants)
    finally:
        await pens.close()
