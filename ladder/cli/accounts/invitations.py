"""`pigpen account invite`, `invitations`, `uninvite`, `password`: links that are good once."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from ladder.cli.accounts.options import DaysOption, NameArgument, OrganiserOption, print_link, role_of
from ladder.cli.accounts.tables import print_invitations
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import opened
from ladder.terminal.sanitize import sanitize
from ladder.values.accounts import LOCAL


def invite(
    name: Annotated[str | None, typer.Option(help="The account's name. By default: the person chooses it.")] = None,
    organiser: OrganiserOption = False,
    days: DaysOption = 14,
    note: Annotated[str, typer.Option(help="A note for yourself: who it is for.")] = "",
    as_json: JsonOption = False,
) -> None:
    """
    Print a link to make one account, valid once.

    With --name it can be for an owner who already has bots: the person who uses the link owns them.

    Examples:
        pigpen account invite --note "the team from Graz"

        pigpen account invite --name ada --days 3
    """
    from ladder.app.accounts import inviting

    with opened(create=True) as ladder:
        print_link(ladder, inviting.invite(ladder, LOCAL, role_of(organiser), name, note, days), as_json)


def invitations(as_json: JsonOption = False) -> None:
    """
    List invitations that are open or were used.

    Examples:
        pigpen account invitations
    """
    from ladder.app.accounts import inviting

    with opened() as ladder:
        found = inviting.invitations(ladder, LOCAL)
    if as_json:
        print_json(found)
    else:
        print_invitations(found, Console())


def uninvite(number: Annotated[int, typer.Argument(help="Its number in pigpen account invitations.")]) -> None:
    """
    Withdraw an invitation that was not used.

    Examples:
        pigpen account uninvite 7
    """
    from ladder.app.accounts.inviting import take_back

    with opened() as ladder:
        take_back(ladder, LOCAL, number)
    typer.echo(sanitize(f"Invitation {number} is withdrawn."))


def password(name: NameArgument, days: DaysOption = 1, as_json: JsonOption = False) -> None:
    """
    Print a link to set a new password, valid once; then the account's sessions and tokens end.

    Examples:
        pigpen account password ada
    """
    from ladder.app.accounts import inviting

    with opened() as ladder:
        print_link(ladder, inviting.new_password(ladder, LOCAL, name, days), as_json)
