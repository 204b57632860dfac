"""`pigpen allow-people`: an owner lets people play with a bot, or no longer."""

from __future__ import annotations

from typing import Annotated

import typer

from ladder.terminal.json_output import print_json
from ladder.terminal.ladder import LocalOption, asked
from ladder.terminal.sanitize import sanitize


def allow_people(
    bot: Annotated[str, typer.Argument(help="The bot.")],
    off: Annotated[bool, typer.Option("--off", help="Forbid it again; tables that have begun continue.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    local: LocalOption = False,
) -> None:
    """
    Let people play with a bot at their tables. These games are not rated.

    Without this, only other bots play with a bot.

    Examples:
        pigpen allow-people Trotter

        pigpen allow-people Trotter --off
    """
    with asked(local) as ladder:
        done = ladder.allow_people(bot, not off)
    if as_json:
        print_json(done)
    elif done.allowed:
        typer.echo(sanitize(f"People may play with {done.bot} now."))
    else:
        typer.echo(sanitize(f"People may no longer play with {done.bot}."))
