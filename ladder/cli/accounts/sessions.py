"""`pigpen account sessions`, `revoke`, `audit`: who is logged in, and what was done by whom."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from ladder.cli.accounts.options import NameArgument
from ladder.cli.accounts.tables import print_audit, print_credentials
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import opened
from ladder.terminal.sanitize import sanitize
from ladder.values.accounts import LOCAL


def sessions(name: NameArgument, as_json: JsonOption = False) -> None:
    """
    List an account's valid sessions and tokens.

    Examples:
        pigpen account sessions ada
    """
    from ladder.app.accounts.tokens import credentials

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
    from ladder.app.accounts import tokens

    with opened() as ladder:
        if number is None:
            count = tokens.revoke_every(ladder, LOCAL, name)
        else:
            kinds = {row.id: row.kind for row in tokens.credentials(ladder, LOCAL, name)}
            tokens.revoke(ladder, LOCAL, name, number, kinds.get(number, "session"))
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
