"""`pigpen check`: the conformance cases that a submission must pass."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.play.check_table import print_check
from ladder.sandbox.bots.bot_source import find_bot
from ladder.terminal.json_output import print_json
from ladder.terminal.options import LimitOption, RuntimeOption, SandboxOption
from ladder.terminal.progress import progress
from ladder.terminal.running import run
from ladder.terminal.sandboxes import opened_sandbox, say_how_grpc_runs, say_what_is_not_read
from ladder.terminal.sanitize import sanitize
from ladder.values.runtimes import AUTO
from ladder.values.sandbox_kind import SandboxKind, SandboxSetup
from pigpen.rules import PRESETS, Rules
from referee.match.formats import DEFAULT_CLOCK
from referee.records.rules_file import load_rules

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ladder.sandbox.bots.bot_source import BotSource
    from ladder.values.check import CheckResult
    from pigpen import ClockSetting


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
