"""`pigpen account group`, `groups`, `group-quota`, `team`, `teams`: accounts of a course together, or of a team."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from ladder.cli.accounts.accounts import NameArgument, number_or_default
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import opened
from ladder.terminal.ladder_words import NOTHING, cell, plain_table
from ladder.terminal.sanitize import sanitize
from ladder.values.accounts import LOCAL
from ladder.values.names import NONE
from ladder.values.text import counted

GroupArgument = Annotated[str, typer.Argument(metavar="GROUP", help="The name of a group; see: pigpen account groups")]


def group(
    name: NameArgument,
    group: Annotated[str, typer.Argument(metavar="GROUP", help="The group; a new one is made. Or: none")],
    as_json: JsonOption = False,
) -> None:
    """
    Put an account into a group, such as that of a course; it leaves the one in which it was.

    A group has standings of its own: pigpen standings --group GROUP. A group that no account is in and no invitation
    names is removed.

    Examples:
        pigpen account group ada course-a

        pigpen account group ada none
    """
    from ladder.app.accounts.groups import set_group

    with opened() as ladder:
        row = set_group(ladder, LOCAL, name, None if group == NONE else group)
    if as_json:
        print_json(row)
    else:
        typer.echo(sanitize(f"{name} is in {f'the group {row.group}' if row.group else 'no group'} now."))


def list_groups(as_json: JsonOption = False) -> None:
    """
    List groups of accounts, with their quotas.

    Examples:
        pigpen account groups
    """
    from ladder.app.accounts.groups import groups

    with opened() as ladder:
        found = groups(ladder)
    if as_json:
        print_json(found)
        return
    if not found:
        typer.echo("There are no groups. To put an account into one: pigpen account group NAME GROUP")
        return
    console = Console()
    table = plain_table("group", "accounts", "a day", "bots each", right=("accounts", "a day", "bots each"))
    for row in found:
        limits = (NOTHING if limit is None else str(limit) for limit in (row.submissions_a_day, row.bots))
        table.add_row(cell(console, row.name), str(row.accounts), *limits)
    console.print(table)


def group_quota(
    group: GroupArgument,
    submissions: Annotated[str, typer.Option(help="Submissions of each account in 24 hours.")] = "default",
    bots: Annotated[str, typer.Option(help="Bots of each account that may play.")] = "default",
    as_json: JsonOption = False,
) -> None:
    """
    Set what each account of a group may do; what is not given is as for all others.

    An account's own quota (pigpen account quota) comes before that of its group.

    Examples:
        pigpen account group-quota course-a --submissions 5 --bots 2

        pigpen account group-quota course-a
    """
    from ladder.app.accounts.groups import set_group_quota

    a_day, most = number_or_default(submissions), number_or_default(bots)
    with opened() as ladder:
        row = set_group_quota(ladder, LOCAL, group, a_day, most)
    if as_json:
        print_json(row)
        return
    often = "as often as the settings say" if a_day is None else f"{counted(a_day, 'time')} in 24 hours"
    many = "any number of bots" if most is None else f"at most {counted(most, 'bot')} at play"
    typer.echo(sanitize(f"Each account of {row.name} may submit {often}, and may have {many}."))


def team(
    name: NameArgument,
    team: Annotated[str, typer.Argument(metavar="TEAM", help="The team; a new one is made. Or: none")],
    as_json: JsonOption = False,
) -> None:
    """
    Make an account a member of a team; it leaves the one in which it was.

    A team is an owner of bots: its members submit, withdraw and retire them, and read their logs. A member has no bots
    of its own at play. The setting team_size limits the members. Contestants found teams at /me/team.

    Examples:
        pigpen account team ada badgers

        pigpen account team ada none
    """
    from ladder.app.accounts.teams import set_team

    with opened() as ladder:
        row = set_team(ladder, LOCAL, name, None if team == NONE else team)
    if as_json:
        print_json(row)
    else:
        typer.echo(sanitize(f"{name} is a member of {f'the team {row.team}' if row.team else 'no team'} now."))


def list_teams(as_json: JsonOption = False) -> None:
    """
    List teams, with their members.

    Examples:
        pigpen account teams
    """
    from ladder.app.accounts.teams import teams

    with opened() as ladder:
        found = teams(ladder)
    if as_json:
        print_json(found)
        return
    if not found:
        typer.echo("There are no teams. To put an account into one: pigpen account team NAME TEAM")
        return
    console = Console()
    table = plain_table("team", "members", wrapped=("members",))
    for row in found:
        table.add_row(cell(console, row.name), cell(console, ", ".join(row.members) or NOTHING))
    console.print(table)
