"""`pigpen ladder deadline`: the time after which submissions are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import opened
from ladder.terminal.sanitize import sanitize
from ladder.values.accounts import LOCAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.values.deadlines import DeadlineRow

deadline = typer.Typer(
    name="deadline",
    help="Set a time after which submissions are refused.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
VariantsOption = Annotated[
    list[str] | None, typer.Option("--variant", help="Only this variant; may be given several times. By default: all.")
]


@deadline.callback()
def _deadline() -> None:
    """Set a time after which submissions are refused."""


@deadline.command("set")
def set_deadline(
    at: Annotated[
        str, typer.Argument(metavar="TIME", help="Time with its time zone, such as 2026-12-18T18:00Z; or: now")
    ],
    variant: VariantsOption = None,
    as_json: JsonOption = False,
) -> None:
    """
    Refuse what is submitted after a time; bots that were submitted by then play on.

    A submission that the ladder has accepted by then counts, also if it still waits, is built or is tried. Versions
    that have retired do not come back. A variant's own deadline takes the place of that of all variants.

    Examples:
        pigpen ladder deadline set 2026-12-18T18:00+01:00

        pigpen ladder deadline set 2026-12-20T18:00Z --variant hearts

        pigpen ladder deadline set now
    """
    from ladder.app import deadlines
    from ladder.entry.deadlines import read_time

    time = read_time(at)
    with opened(create=True) as ladder:
        _print(deadlines.set_deadline(ladder, LOCAL, time, variant or []), as_json)


@deadline.command()
def lift(variant: VariantsOption = None, as_json: JsonOption = False) -> None:
    """
    Lift deadlines: bots may be submitted again.

    Examples:
        pigpen ladder deadline lift

        pigpen ladder deadline lift --variant hearts
    """
    from ladder.app.deadlines import lift_deadline

    with opened() as ladder:
        _print(lift_deadline(ladder, LOCAL, variant or []), as_json)


@deadline.command("list")
def list_deadlines(as_json: JsonOption = False) -> None:
    """
    List deadlines.

    Examples:
        pigpen ladder deadline list
    """
    from ladder.app.deadlines import deadlines

    with opened() as ladder:
        _print(deadlines(ladder), as_json)


def _print(found: Sequence[DeadlineRow], as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    others = " other" if any(row.variant for row in found) else ""
    for row in found:
        what = row.variant or f"all{others} variants"
        typer.echo(sanitize(f"Submissions for {what} close on {row.at:%Y-%m-%d at %H:%M:%S} UTC."))
    if not found:
        typer.echo("There is no deadline. To set one: pigpen ladder deadline set TIME")
