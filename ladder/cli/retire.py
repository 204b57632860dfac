"""`pigpen retire`: take a bot out of the ladder."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from ladder.cli.ladder import opened
from ladder.cli.sanitize import harmless, json_line


def retire(
    bot: Annotated[str, typer.Argument(help="The bot: Trotter, or one of its versions: Trotter@2.")],
    variant: Annotated[
        list[str] | None, typer.Option(help="Only in this variant; may be given again. By default: wherever it plays.")
    ] = None,
    reason: Annotated[str, typer.Option(help="Why, for those who look at it later.")] = "taken out by its owner",
    as_json: Annotated[bool, typer.Option("--json", help="Print what has retired as JSON.")] = False,
) -> None:
    """
    Take a bot out of the matches to come; its ratings and matches stay, and submitting it again brings it back.

    Nobody is asked for a password: whoever may write the ladder's files may do this.

    Examples:
        pigpen retire Trotter

        pigpen retire Trotter@1 --variant hearts --reason "version 2 is better"
    """
    from ladder.store.commands.retiring import retire as retire_entries

    with opened() as database, database.write() as session:
        retired = retire_entries(session, bot, variant or [], reason, time.time())
    if as_json:
        typer.echo(json_line([{"version": version, "variant": name} for version, name in retired]))
        return
    for version, name in retired:
        typer.echo(harmless(f"{version} has retired from {name}."))
