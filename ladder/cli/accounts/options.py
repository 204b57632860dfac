"""Common parts of the commands of `pigpen account`: their options, and how a link is printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ladder.terminal.json_output import print_json
from ladder.terminal.sanitize import sanitize
from ladder.values.accounts import Role

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.values.accounts import NewSecret, Role

NameArgument = Annotated[str, typer.Argument(help="The name of the account and of its owner.")]
OrganiserOption = Annotated[bool, typer.Option("--organiser", help="Give it an organiser's rights.")]
DaysOption = Annotated[int, typer.Option(min=1, max=365, help="Days for which the link is valid.")]


def role_of(organiser: bool) -> Role:
    """Give the role of an account, as --organiser says."""
    return Role.ORGANISER if organiser else Role.CONTESTANT


def print_link(ladder: Ladder, made: NewSecret, as_json: bool) -> None:
    """Print the link of an invitation, the only time that it is shown."""
    from ladder.app.accounts.links import link_of

    link = link_of(ladder.settings, made)
    if as_json:
        print_json(link)
    else:
        typer.echo(sanitize(link.link))
        typer.echo("It is valid once, and is not shown again.", err=True)
