"""
`pigpen account`: who may log in at the ladder's site, for its organiser.

`invite`, `invitations`, `uninvite` and `password` are about links that are good once; `sessions`, `revoke` and `audit`
about who is logged in, and what was done by whom; `group`, `groups` and `group-quota` about groups of accounts, `team`
and `teams` about teams; `mail`, `export`, `rename` and `delete` are about a person's own data (personal_data.py);
`grades` is a sheet of what contestants have reached.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ladder.cli.accounts.accounts import (
    DaysOption,
    NameArgument,
    OrganiserOption,
    add,
    disable,
    enable,
    list_accounts,
    print_audit,
    print_credentials,
    print_invitations,
    print_link,
    quota,
    role,
    role_of,
)
from ladder.cli.accounts.groups import group, group_quota, list_groups, list_teams, team
from ladder.cli.accounts.personal_data import account_mail, delete, export, rename
from ladder.errors import UserError
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import opened
from ladder.terminal.sanitize import sanitize
from ladder.values.accounts import LOCAL, GradeRow, ListedInvitation
from ladder.values.csv_rows import csv_text
from ladder.values.text import write_utf8

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.values.accounts import Role


def invite(
    name: Annotated[str | None, typer.Option(help="The account's name. By default: the person chooses it.")] = None,
    organiser: OrganiserOption = False,
    days: DaysOption = 14,
    note: Annotated[str, typer.Option(help="A note for yourself: who it is for.")] = "",
    group: Annotated[
        str | None, typer.Option(help="The group into which the account comes; a new one is made.")
    ] = None,
    listed: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="A CSV file with a line for each person, columns name, note, group: all are invited, or none.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """
    Print a link to make one account, valid once; with --from, a CSV file with a link for each person.

    With a name it can be for an owner who already has bots: the person who uses the link owns them. Without one the
    person chooses it. A new link for a name revokes the older one. A list may name a group in each line; --group is for
    those that name none.

    Examples:
        pigpen account invite --note "the team from Graz"

        pigpen account invite --name ada --days 3

        pigpen account invite --from course.csv --group course-a > links.csv
    """
    from ladder.app.accounts import registering

    if listed is not None:
        if name is not None or note:
            raise UserError("--from and --name or --note exclude each other: the file has both.")
        _invite_listed(listed, role_of(organiser), days, group, as_json)
        return
    with opened(create=True) as ladder:
        print_link(ladder, registering.invite(ladder, LOCAL, role_of(organiser), name, note, days, group), as_json)


def _invite_listed(path: Path, role: Role, days: int, group: str | None, as_json: bool) -> None:
    from ladder.app.accounts.guests import read_guests
    from ladder.app.accounts.links import link_of
    from ladder.app.accounts.registering import invite_all

    guests = [replace(guest, group=guest.group or group) for guest in read_guests(path)]
    with opened(create=True) as ladder:
        links = [link_of(ladder.settings, made) for made in invite_all(ladder, LOCAL, role, guests, days)]
    found = [
        ListedInvitation(**link.model_dump(), name=guest.name or "", note=guest.note, group=guest.group or "")
        for link, guest in zip(links, guests, strict=True)
    ]
    if as_json:
        print_json(found)
    else:
        rows = ((each.name, each.note, each.group, each.link, each.expires.isoformat()) for each in found)
        write_utf8(csv_text(("name", "note", "group", "link", "expires"), rows), sys.stdout)
        typer.echo("Each link is valid once, and is not shown again.", err=True)


def invitations(as_json: JsonOption = False) -> None:
    """
    List invitations that are open or were used.

    Examples:
        pigpen account invitations
    """
    from ladder.app.accounts import registering

    with opened() as ladder:
        found = registering.invitations(ladder, LOCAL)
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
    from ladder.app.accounts.registering import take_back

    with opened() as ladder:
        take_back(ladder, LOCAL, number)
    typer.echo(sanitize(f"Invitation {number} is withdrawn."))


def password(name: NameArgument, days: DaysOption = 1, as_json: JsonOption = False) -> None:
    """
    Print a link to set a new password, valid once; then the account's sessions and tokens end.

    Examples:
        pigpen account password ada
    """
    from ladder.app.accounts import registering

    with opened() as ladder:
        print_link(ladder, registering.new_password(ladder, LOCAL, name, days), as_json)


def sessions(name: NameArgument, as_json: JsonOption = False) -> None:
    """
    List an account's valid sessions and tokens.

    Examples:
        pigpen account sessions ada
    """
    from ladder.app.accounts.sessions import credentials

    with opened() as ladder:
        found = credentials(ladder, LOCAL, name)
    if as_json:
        print_json(found)
    else:
        print_credentials(found, Console())


def revoke(
    name: NameArgument,
    number: Annotated[
        int | None, typer.Argument(help="Only this session or token; see: pigpen account sessions")
    ] = None,
) -> None:
    """
    End an account's sessions and revoke its tokens; its owner can log in again.

    Examples:
        pigpen account revoke ada

        pigpen account revoke ada 12
    """
    from ladder.app.accounts import sessions

    with opened() as ladder:
        if number is None:
            count = sessions.revoke_every(ladder, LOCAL, name)
        else:
            kinds = {row.id: row.kind for row in sessions.credentials(ladder, LOCAL, name)}
            sessions.revoke_one(ladder, LOCAL, name, number, kinds.get(number, "session"))
            count = 1
    typer.echo(sanitize(f"Revoked: {count}."))


def audit(
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Show at most the N newest entries.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """
    Show the audit log: changes of accounts, tokens, submissions and suspensions, the newest first.

    Examples:
        pigpen account audit --limit 200
    """
    from ladder.app.accounts import managing

    with opened() as ladder:
        found = managing.audit(ladder, LOCAL, limit)
    if as_json:
        print_json(found)
    else:
        print_audit(found, Console())


def grades(
    variant: Annotated[str, typer.Argument(help="Whose standings count; see: pigpen rules")],
    season: Annotated[
        str | None, typer.Option(help="Standings of a finished season, as they were at its end, by its name.")
    ] = None,
    group: Annotated[
        str | None, typer.Option(help="Only contestants of this group; see: pigpen account groups")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """
    Print a sheet for grades as CSV: a line for each contestant, with the best bot, its place and what it is worth.

    Contestants without a ranked bot stand at the end. The note is that of the invitation.

    Examples:
        pigpen account grades gongzhu > grades.csv

        pigpen account grades hearts --season 2026-spring --group course-a
    """
    from ladder.app.accounts.grades import grades as read

    with opened() as ladder:
        found = read(ladder, LOCAL, variant, season, group)
    if as_json:
        print_json(found)
    else:
        rows = (each.model_dump(mode="json").values() for each in found)
        write_utf8(csv_text(GradeRow.model_fields, rows), sys.stdout)


account = typer.Typer(
    name="account",
    help="Make accounts, invite, disable, rename, delete, set quotas, and see who did what.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
COMMANDS: dict[str, Callable[..., None]] = {
    "list": list_accounts,
    "add": add,
    "invite": invite,
    "invitations": invitations,
    "uninvite": uninvite,
    "disable": disable,
    "enable": enable,
    "role": role,
    "quota": quota,
    "group": group,
    "groups": list_groups,
    "group-quota": group_quota,
    "team": team,
    "teams": list_teams,
    "password": password,
    "sessions": sessions,
    "revoke": revoke,
    "audit": audit,
    "mail": account_mail,
    "export": export,
    "rename": rename,
    "delete": delete,
    "grades": grades,
}
for _name, _command in COMMANDS.items():
    account.command(_name)(_command)
