"""
`pigpen account list`, `add`, `disable`, `enable`, `role`, `quota`: who may log in, and do what.

With it are the common parts of the commands of `pigpen account`: their options, the printed link, and accounts,
invitations, sessions and the audit log as terminal output.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer
from rich.cells import cell_len, set_cell_size
from rich.console import Console

from ladder.errors import UserError
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import opened
from ladder.terminal.ladder_words import NOTHING, cell, plain_table, say, when
from ladder.terminal.sanitize import sanitize
from ladder.values.accounts import LOCAL, Role
from ladder.values.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.app.ladder import Ladder
    from ladder.values.accounts import AccountRow, AuditRow, CredentialRow, InvitationRow, NewSecret

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


def print_accounts(rows: Sequence[AccountRow], console: Console) -> None:
    """Print a row for each account; below, why one is disabled."""
    table = plain_table("account", "role", "group", "logs in by", "bots", "a day", "since", right=("bots", "a day"))
    for row in rows:
        quota = NOTHING if row.submissions_a_day is None else str(row.submissions_a_day)
        by = "disabled" if row.disabled else "its members" if row.is_team else row.signs_in_by
        table.add_row(
            cell(console, row.name),
            row.role,
            cell(console, row.group or NOTHING),
            by,
            str(row.bots),
            quota,
            when(row.added),
        )
    console.print(table)
    for row in rows:
        if row.disabled:
            say(console, f"{row.name} is disabled since {when(row.disabled)}: {row.reason}")


def print_invitations(rows: Sequence[InvitationRow], console: Console) -> None:
    """Print a row for each invitation."""
    headings = ("number", "role", "name", "note", "group", "until", "used")
    table = plain_table(*headings, right=("number",), wrapped=("note",))
    for row in rows:
        used = f"{when(row.used)} by {row.used_by}" if row.used else NOTHING
        texts = (str(row.id), row.role, row.name or NOTHING, row.note or NOTHING, row.group or NOTHING)
        table.add_row(*(cell(console, text) for text in (*texts, when(row.expires), used)))
    console.print(table)


def print_credentials(rows: Sequence[CredentialRow], console: Console) -> None:
    """Print a row for each session and token."""
    table = plain_table("number", "kind", "good for", "used", "until", "name", right=("number",), wrapped=("name",))
    for row in rows:
        scopes = "everything" if row.kind == "session" else ", ".join(row.scopes)
        texts = (str(row.id), row.kind, scopes, when(row.used), when(row.expires), row.name or NOTHING)
        table.add_row(*(cell(console, text) for text in texts))
    console.print(table)


def print_audit(rows: Sequence[AuditRow], console: Console) -> None:
    """Print a line for each entry of the audit log; cut to the width of a terminal, whole in a file."""
    lines = [("when", "who", "from", "what", "to", "more"), *map(_entry, rows)]
    widths = [max(cell_len(line[place]) for line in lines) for place in range(len(lines[0]))]
    for line in lines:
        text = "  ".join(set_cell_size(part, width) for part, width in zip(line, widths, strict=True)).rstrip()
        shown = cell(console, text, "" if line is not lines[0] else "bold")
        if console.is_terminal:
            shown.truncate(console.width, overflow="ellipsis")
        console.print(shown, soft_wrap=True)


def _entry(row: AuditRow) -> tuple[str, ...]:
    more = ", ".join(f"{name}: {value}" for name, value in row.details.items() if value not in (None, ""))
    return when(row.at), row.actor or "this machine", row.address or NOTHING, row.action, row.subject, more


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

    count = number_or_default(submissions)
    with opened() as ladder:
        row = managing.set_quota(ladder, LOCAL, name, count)
        usual = ladder.settings.submissions_a_day
    _say(row, as_json, f"{name} may submit {counted(usual if count is None else count, 'time')} in 24 hours.")


def number_or_default(text: str) -> int | None:
    """
    Read a quota; None: *default*.

    Raises:
        UserError: If it is neither.
    """
    if text == "default":
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise UserError(f"{text!r} is not a number. Write a number, or: default")
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
