"""`pigpen retire`: take a bot out of the ladder."""

from __future__ import annotations

from typing import Annotated

import typer

from ladder.terminal.json_output import print_json
from ladder.terminal.ladder import LocalOption, asked
from ladder.terminal.sanitize import sanitize


def retire(
    bot: Annotated[str, typer.Argument(help="The bot: Trotter, or one of its versions: Trotter@2.")],
    variant: Annotated[
        list[str] | None,
        typer.Option(help="Only in this variant; may be given several times. By default: in all its variants."),
    ] = None,
    reason: Annotated[
        str, typer.Option(help="The reason, for people who look at the bot later.")
    ] = "taken out by its owner",
    as_json: Annotated[bool, typer.Option("--json", help="Print what has retired as JSON.")] = False,
    local: LocalOption = False,
) -> None:
    """
    Schedule no more matches for a bot. Its ratings and matches stay; submit it again to bring it back.

    On this machine's ladder no password is needed: anyone who can write its files can do this.

    Examples:
        pigpen retire Trotter

        pigpen retire Trotter@1 --variant hearts --reason "version 2 is better"
    """
    with asked(local) as ladder:
        retired = ladder.retire(bot, variant or [], reason)
    if as_json:
        print_json(retired)
        return
    for entry in retired:
        typer.echo(sanitize(f"{entry.version} has retired from {entry.variant}."))
