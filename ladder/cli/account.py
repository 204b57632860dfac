"""`pigpen account`: who may log in at the ladder's site, for its organiser."""

from __future__ import annotations

import enum
import sys
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ladder.cli.account_table import print_accounts, print_audit, print_credentials, print_invitations
from ladder.cli.json_output import print_json
from ladder.cli.ladder import opened
from ladder.cli.sanitize import harmless
from ladder.errors import UserError

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.values.accounts import AccountRow, NewSecret, Role

account = typer.Typer(
    name="account",
    help="Make accounts, invite, disable, set quotas, and see what was done by whom.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
NameArgument = Annotated[str, typer.Argument(help="The account's name, which is its owner's.")]
OrganiserOption = Annotated[bool, typer.Option("--organiser", help="It may do what organisers do.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]
DaysOption = Annotated[int, typer.Option(min=1, max=365, help="For how many days the link is good.")]


class RoleName(enum.StrEnum):
    """The names of `ladder.values.accounts.Role`, which takes long to import."""

    CONTESTANT = "contestant"
    ORGANISER = "organiser"


@account.command("list")
def list_accounts(as_json: JsonOption = False) -> None:
    """
    List all accounts.

    Examples:
        pigpen account list
    """
    from ladder.app.accounts.managing import accounts
    from ladder.values.accounts import LOCAL

    with opened() as ladder:
        found = accounts(ladder, LOCAL)
    if as_json:
        print_json(found)
    else:
        print_accounts(found, Console())


@account.command()
def add(
    name: NameArgument,
    organiser: OrganiserOption = False,
    days: DaysOption = 14,
    password: Annotated[
        bool, typer.Option("--password", help="Ask for its password here, or read it from stdin, instead.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """
    Make an account, also for an owner who has bots already; prints a link with which it gets its password, once.

    Examples:
        pigpen account add ada

        pigpen account add olga --organiser --password
    """
    from ladder.app.accounts import managing
    from ladder.values.accounts import LOCAL

    role = _role(organiser)
    with opened(create=True) as ladder:
        if not password:
            _print_link(ladder, managing.add(ladder, LOCAL, name, role, days), as_json)
            return
        from ladder.app.accounts.passwords import Passwords

        managing.add_with_password(ladder, Passwords(), LOCAL, name, role, _asked())
        row = next(row for row in managing.accounts(ladder, LOCAL) if row.name == name)
    _say(row, as_json, f"{name} can log in.")


@account.command()
def invite(
    name: Annotated[str | None, typer.Option(help="The account's name; by default whoever comes chooses it.")] = None,
    organiser: OrganiserOption = False,
    days: DaysOption = 14,
    note: Annotated[str, typer.Option(help="For whom it is, for yourself.")] = "",
    as_json: JsonOption = False,
) -> None:
    """
    Print a link with which somebody can make an account, once.

    With --name it may be that of an owner who has bots already: whoever has the link owns them.

    Examples:
        pigpen account invite --note "the team from Graz"

        pigpen account invite --name ada --days 3
    """
    from ladder.app.accounts import managing
    from ladder.values.accounts import LOCAL

    with opened(create=True) as ladder:
        _print_link(ladder, managing.invite(ladder, LOCAL, _role(organiser), name, note, days), as_json)


@account.command()
def invitations(as_json: JsonOption = False) -> None:
    """
    List invitations that are open or were used.

    Examples:
        pigpen account invitations
    """
    from ladder.app.accounts import managing
    from ladder.values.accounts import LOCAL

    with opened() as ladder:
        found = managing.invitations(ladder, LOCAL)
    if as_json:
        print_json(found)
    else:
        print_invitations(found, Console())


@account.command()
def uninvite(number: Annotated[int, typer.Argument(help="As pigpen account invitations shows it.")]) -> None:
    """
    Take an invitation back that nobody has used.

    Examples:
        pigpen account uninvite 7
    """
    from ladder.app.accounts.managing import take_back
    from ladder.values.accounts import LOCAL

    with opened() as ladder:
        take_back(ladder, LOCAL, number)
    typer.echo(harmless(f"Invitation {number} is not good any more."))


@account.command()
def disable(
    name: NameArgument,
    reason: Annotated[str, typer.Option(help="Why, for its owner and other organisers.")],
    as_json: JsonOption = False,
) -> None:
    """
    Let nobody use an account: its sessions, tokens and streams end at once. Its bots play on; see pigpen suspend.

    Examples:
        pigpen account disable mallory --reason "It is shared by a whole school."
    """
    from ladder.app.accounts import managing
    from ladder.values.accounts import LOCAL

    with opened() as ladder:
        row = managing.disable(ladder, LOCAL, name, reason)
    _say(row, as_json, f"{name} is disabled; its sessions and tokens are revoked.")


@account.command()
def enable(name: NameArgument, as_json: JsonOption = False) -> None:
    """
    Let a disabled account's owner log in again.

    Examples:
        pigpen account enable mallory
    """
    from ladder.app.accounts import managing
    from ladder.values.accounts import LOCAL

    with opened() as ladder:
        row = managing.enable(ladder, LOCAL, name)
    _say(row, as_json, f"{name} can log in again.")


@account.command()
def role(
    name: NameArgument,
    role: Annotated[RoleName, typer.Argument(help="What it is for.")],
    as_json: JsonOption = False,
) -> None:
    """
    Make somebody an organiser, or a contestant again.

    Examples:
        pigpen account role ada organiser
    """
    from ladder.app.accounts import managing
    from ladder.values.accounts import LOCAL, Role

    with opened() as ladder:
        row = managing.set_role(ladder, LOCAL, name, Role(role))
    _say(row, as_json, f"{name} is {'an' if role is RoleName.ORGANISER else 'a'} {role} now.")


@account.command()
def quota(
    name: NameArgument,
    submissions: Annotated[str, typer.Argument(help="Submissions in 24 hours, or: default")],
    as_json: JsonOption = False,
) -> None:
    """
    Let an account submit more, or less, often than the setting submissions_a_day says.

    Examples:
        pigpen account quota ada 100

        pigpen account quota ada default
    """
    from ladder.app.accounts import managing
    from ladder.values.accounts import LOCAL

    count = None if submissions == "default" else _number(submissions)
    with opened() as ladder:
        row = managing.set_quota(ladder, LOCAL, name, count)
        usual = ladder.settings.submissions_a_day
    _say(row, as_json, f"{name} may submit {usual if count is None else count} times in 24 hours.")


@account.command()
def password(name: NameArgument, days: DaysOption = 1, as_json: JsonOption = False) -> None:
    """
    Print a link with which an account's owner sets a new password, once; then its sessions and tokens end.

    Examples:
        pigpen account password ada
    """
    from ladder.app.accounts import managing
    from ladder.values.accounts import LOCAL

    with opened() as ladder:
        _print_link(ladder, managing.new_password(ladder, LOCAL, name, days), as_json)


@account.command()
def sessions(name: NameArgument, as_json: JsonOption = False) -> None:
    """
    List an account's sessions and tokens that are good.

    Examples:
        pigpen account sessions ada
    """
    from ladder.app.accounts.tokens import credentials
    from ladder.values.accounts import LOCAL

    with opened() as ladder:
        found = credentials(ladder, LOCAL, name)
    if as_json:
        print_json(found)
    else:
        print_credentials(found, Console())


@account.command()
def revoke(
    name: NameArgument,
    number: Annotated[int | None, typer.Argument(help="Only this one, as pigpen account sessions shows it.")] = None,
) -> None:
    """
    End an account's sessions and revoke its tokens; its owner can log in again.

    Examples:
        pigpen account revoke ada

        pigpen account revoke ada 12
    """
    from ladder.app.accounts import tokens
    from ladder.values.accounts import LOCAL

    with opened() as ladder:
        if number is None:
            count = tokens.revoke_every(ladder, LOCAL, name)
        else:
            kinds = {row.id: row.kind for row in tokens.credentials(ladder, LOCAL, name)}
            tokens.revoke(ladder, LOCAL, name, number, kinds.get(number, "session"))
            count = 1
    typer.echo(harmless(f"Revoked: {count}."))


@account.command()
def audit(
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="So many lines, the newest.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """
    Show what people did: accounts, tokens, submissions, suspensions; the newest first.

    Examples:
        pigpen account audit --limit 200
    """
    from ladder.app.accounts import managing
    from ladder.values.accounts import LOCAL

    with opened() as ladder:
        found = managing.audit(ladder, LOCAL, limit)
    if as_json:
        print_json(found)
    else:
        print_audit(found, Console())


def _role(organiser: bool) -> Role:
    from ladder.values.accounts import Role

    return Role.ORGANISER if organiser else Role.CONTESTANT


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise UserError(f"{text!r} is no number of submissions; write one, or: default")
    return int(text)


def _asked() -> str:
    if sys.stdin.isatty():
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    return sys.stdin.readline().rstrip("\n")


def _print_link(ladder: Ladder, made: NewSecret, as_json: bool) -> None:
    from ladder.app.accounts.links import link_of

    link = link_of(ladder.settings, made)
    if as_json:
        print_json(link)
    else:
        typer.echo(harmless(link.link))
        typer.echo("It is good once, and is not shown again.", err=True)


def _say(row: AccountRow, as_json: bool, sentence: str) -> None:
    if as_json:
        print_json(row)
    else:
        typer.echo(harmless(sentence))
