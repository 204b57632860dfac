"""`pigpen account list`, `add`, `disable`, `enable`, `role`, `quota`: who may log in, and do what."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ladder.cli.accounts.options import DaysOption, NameArgument, OrganiserOption, print_link, role_of
from ladder.cli.accounts.tables import print_accounts
from ladder.errors import UserError
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import opened
from ladder.terminal.sanitize import sanitize
from ladder.values.accounts import LOCAL, Role
from ladder.values.text import counted

if TYPE_CHECKING:
    from ladder.values.accounts import AccountRow


def list_accounts(as_json: JsonOption = False) -> None:
    """
    List all accounts.

    Examples:
        pigpen account list
    """
    from ladder.app.accounts.managing import accounts

    with opened() as ladder:
        found = accounts(ladder, LOCAL)
    if as_json:
        print_json(found)
    else:
        print_accounts(found, Console())


def add(
    name: NameArgument,
    organiser: OrganiserOption = False,
    days: DaysOption = 14,
    password: Annotated[
        bool, typer.Option("--password", help="Ask for a password, or read it from stdin, and print no link.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """
    Make an account, also for an owner who already has bots; print a link to set its password, valid once.

    Examples:
        pigpen account add ada

        pigpen account add olga --organiser --password
    """
    from ladder.app.accounts import managing

    role = role_of(organiser)
    with opened(create=True) as ladder:
        if not password:
            print_link(ladder, managing.add(ladder, LOCAL, name, role, days), as_json)
            return
        from ladder.app.accounts.passwords import Passwords

        managing.add_with_password(ladder, Passwords(), LOCAL, name, role, _asked())
        row = next(row for row in managing.accounts(ladder, LOCAL) if row.name == name)
    _say(row, as_json, f"{name} can log in.")


def disable(
    name: NameArgument,
    reason: Annotated[str, typer.Option(help="The reason, for its owner and other organisers.")],
    as_json: JsonOption = False,
) -> None:
    """
    Disable an account: its sessions, tokens and streams end at once.

    Its submissions that have not ended are withdrawn. Its bots still play; to stop them: pigpen suspend.

    Examples:
        pigpen account disable mallory --reason "It is shared by a whole school."
    """
    from ladder.app.accounts import managing

    with opened() as ladder:
        row = managing.disable(ladder, LOCAL, name, reason)
    _say(row, as_json, f"{name} is disabled; its sessions and tokens are revoked, its open submissions withdrawn.")


def enable(name: NameArgument, as_json: JsonOption = False) -> None:
    """
    Let a disabled account's owner log in again.

    Examples:
        pigpen account enable mallory
    """
    from ladder.app.accounts import managing

    with opened() as ladder:
        row = managing.enable(ladder, LOCAL, name)
    _say(row, as_json, f"{name} can log in again.")


def role(
    name: NameArgument,
    role: Annotated[Role, typer.Argument(help="The new role.")],
    as_json: JsonOption = False,
) -> None:
    """
    Make the owner of an account an organiser, or a contestant again.

    Examples:
        pigpen account role ada organiser
    """
    from ladder.app.accounts import managing

    with opened() as ladder:
        row = managing.set_role(ladder, LOCAL, name, role)
    _say(row, as_json, f"{name} is {'an' if role is Role.ORGANISER else 'a'} {role} now.")


def quota(
    name: NameArgument,
    submissions: Annotated[str, typer.Argument(help="Submissions in 24 hours, or: default")],
    as_json: JsonOption = False,
) -> None:
    """
    Set how often an account may submit in 24 hours, instead of the setting submissions_a_day.

    Examples:
        pigpen account quota ada 100

        pigpen account quota ada default
    """
    from ladder.app.accounts import managing

    count = None if submissions == "default" else _number(submissions)
    with opened() as ladder:
        row = managing.set_quota(ladder, LOCAL, name, count)
        usual = ladder.settings.submissions_a_day
    _say(row, as_json, f"{name} may submit {counted(usual if count is None else count, 'time')} in 24 hours.")


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise UserError(f"{text!r} is not a number of submissions. Write a number, or: default")
    return int(text)


def _asked() -> str:
    if sys.stdin.isatty():
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    return sys.stdin.readline().rstrip("\n")


def _say(row: AccountRow, as_json: bool, sentence: str) -> None:
    if as_json:
        print_json(row)
    else:
        typer.echo(sanitize(sentence))
