"""`pigpen doctor`: what this machine offers, and which protections between bots work here."""

from __future__ import annotations

import shutil
import textwrap
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.errors import SandboxError
from ladder.terminal.json_output import print_json
from ladder.terminal.ladder import the_settings
from ladder.terminal.options import say
from ladder.terminal.sanitize import sanitize

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ladder.settings.settings import Settings
    from ladder.values.reports import Finding

INDENT = " " * 4


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    runtime: Annotated[
        str | None,
        typer.Option(
            help="The OCI runtime to try; auto: gVisor if the engine has it. By default: as the settings say."
        ),
    ] = None,
) -> None:
    """
    Check this machine: what it offers to a ladder, and which protections between bots work here.

    The protections are tested in a container like a bot's, and sample bots play some deals as those of a ladder would:
    that takes some seconds. The exit code is 1 if a protection is missing. If there is a ladder on this machine, its
    runner and the free space on its disk are checked, too.

    Examples:
        pigpen doctor

        pigpen doctor --runtime runsc --json
    """
    from ladder.app.doctor import RUNTIME_SETTING, examine
    from ladder.app.health import ladder_findings
    from ladder.app.speed import speed_finding

    settings = the_settings()
    chosen = settings if runtime is None else settings.model_copy(update={"runtime": runtime})
    asked_by = RUNTIME_SETTING if runtime is None else "The option --runtime"
    measure, languages = partial(speed_finding, chosen, say), settings.languages.split()
    found = examine(chosen.runtime, say, settings.locked_bytes, asked_by, measure, languages)
    found = found.model_copy(update={"findings": (*found.findings, *ladder_findings(settings))})
    if as_json:
        print_json(found)
    else:
        _print(found.findings)
    if not found.stands:
        raise typer.Exit(1)


def say_what_is_missing(settings: Settings) -> None:
    """Say, before a ladder runs, which protections are missing here, as far as that can be seen at once."""
    from ladder.app.doctor import engine_facts, missing_at_once, warning

    try:
        engine = engine_facts()
    except SandboxError:  # the run itself will say that there is no engine
        return
    if shares := warning(settings, engine):
        say(sanitize(shares))
    missing = missing_at_once(engine)
    if missing:
        words = "; ".join(f"{finding.name}: {finding.found}" for finding in missing)
        say(f"Not all protections between bots work here ({sanitize(words)}). For details run: pigpen doctor")


def missing_protections(findings: Iterable[Finding]) -> list[str]:
    """Give the names of the protections that do not work."""
    return [finding.name for finding in findings if finding.is_protection and not finding.holds]


def _print(findings: Sequence[Finding]) -> None:
    width = max(len(finding.name) for finding in findings)
    for title, is_protection in (("This machine", False), ("Protections between bots", True)):
        typer.secho(title, bold=True)
        for finding in findings:
            if finding.is_protection is is_protection:
                _print_one(finding, width)
        typer.echo()
    missing = missing_protections(findings)
    verdict = f"Missing here: {', '.join(missing)}." if missing else "All protections work."
    typer.secho(verdict, fg=typer.colors.RED if missing else typer.colors.GREEN)


def _print_one(finding: Finding, width: int) -> None:
    sign, colour = ("✓", typer.colors.GREEN) if finding.holds else ("✗", typer.colors.RED)
    typer.secho(f"  {sign} ", fg=colour, nl=False)
    typer.echo(sanitize(f"{finding.name:<{width}}  {finding.found}"))
    if not finding.holds:
        columns = min(100, shutil.get_terminal_size().columns)
        lines = textwrap.wrap(finding.follows, columns, initial_indent=INDENT, subsequent_indent=INDENT)
        for line in lines:
            typer.echo(sanitize(line))
