"""`pigpen login`, `logout` and `whoami`: a remote ladder."""

from __future__ import annotations

import getpass
import sys
import webbrowser
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.app.remote.login import NOT_LOGGED_IN, ladder_address, read_login
from ladder.errors import UserError
from ladder.terminal.json_output import print_json
from ladder.terminal.sanitize import sanitize

if TYPE_CHECKING:
    from ladder.app.remote.login import Login
    from ladder.values.accounts import LoginStarted


def login(
    address: Annotated[
        str | None,
        typer.Argument(
            metavar="[URL]", help="The ladder's address: https://arena.example. By default: where you are logged in."
        ),
    ] = None,
    token: Annotated[
        bool, typer.Option("--token", help="Read a token from the standard input, for machines without a browser.")
    ] = False,
    browser: Annotated[bool, typer.Option("--browser", help="Also open the address in a browser.")] = False,
    plain_http: Annotated[
        bool, typer.Option("--plain-http", help="Allow http:// (no encryption) for an address on another machine.")
    ] = False,
) -> None:
    """
    Log in to a remote ladder. The command shows an address and a code; confirm the code there in a browser.

    From then on submit, submissions, retire, standings, bots, show, matches, logs, explain, replay, rerun, why and
    verify work with that ladder; with --local they work with the one on this machine. Tokens are made on the page
    /me/account of a ladder.

    Examples:
        pigpen login https://arena.example

        pigpen login https://arena.example --token < token.txt

        pigpen login
    """
    from ladder.app.remote.logging_in import keep

    before = read_login()
    if address is None and before is None:
        raise UserError(NOT_LOGGED_IN)
    where = before.address if address is None and before else ladder_address(address or "", plain_http)
    found = keep(where, _given_token() if token else _confirmed(where, browser))
    typer.echo(sanitize(f"You are {found.name} on {found.address} now. To log out: pigpen logout"))
    if before is not None and before.token != found.token:
        removed = "That token is removed from this machine, but it is still valid there."
        typer.echo(sanitize(f"You were {before.name} on {before.address}. {removed}"), err=True)


def logout() -> None:
    """
    Log out: the token is revoked, and removed from this machine.

    Examples:
        pigpen logout
    """
    from ladder.app.remote.logging_in import forget

    login = the_login()
    forget(login)
    typer.echo(sanitize(f"You are logged out of {login.address}. To log in again: pigpen login {login.address}"))


def whoami(as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False) -> None:
    """
    Show to which ladder you are logged in, as whom, and which bots are yours there.

    Examples:
        pigpen whoami
    """
    from ladder.app.remote.connection import Connection
    from ladder.app.remote.logging_in import who

    login = the_login()
    with Connection(login.address, login.token) as connection:
        me = who(connection)
    if as_json:
        print_json(me)
        return
    typer.echo(sanitize(f"You are {me.name} ({me.role}) on {login.address}."))
    typer.echo(sanitize(f"Your bots: {', '.join(me.bots) or 'none yet'}."))
    typer.echo(sanitize(f"Your token allows: {', '.join(me.scopes)}."))


def the_login() -> Login:
    """
    Give the ladder to which this user has logged in.

    Raises:
        UserError: If to none.
    """
    if (login := read_login()) is None:
        raise UserError(NOT_LOGGED_IN)
    return login


def _given_token() -> str:
    return (getpass.getpass("Token: ") if sys.stdin.isatty() else sys.stdin.readline()).strip()


def _confirmed(where: str, browser: bool) -> str:
    from ladder.app.remote.connection import Connection
    from ladder.app.remote.logging_in import confirmed, start

    with Connection(where) as connection:
        started = start(connection)
        typer.echo(sanitize(f"Open {started.address} and confirm the code {started.user_code}"))
        if browser:
            _open(started)
        return confirmed(connection, started)


def _open(started: LoginStarted) -> None:
    is_page = started.address.startswith(("https://", "http://"))
    if not is_page or not webbrowser.open(started.address):
        typer.echo("No browser could be opened.", err=True)
