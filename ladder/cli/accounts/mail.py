"""`pigpen account mail`: the e-mail address of an account, for the organiser."""

from __future__ import annotations

from typing import Annotated

import typer

from ladder.cli.accounts.accounts import NameArgument
from ladder.errors import UserError
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import opened
from ladder.terminal.sanitize import sanitize
from ladder.values.accounts import LOCAL
from ladder.values.mail import AccountMail

NONE = AccountMail(address=None, pending=None, language="en", notices=(), is_refused=False)
"""The value of an account without an address."""


def account_mail(
    name: NameArgument,
    address: Annotated[
        str | None, typer.Argument(help="An address that the account is to have; the person confirms it by a link.")
    ] = None,
    language: Annotated[str, typer.Option(help="Of letters: en or zh.")] = "en",
    remove: Annotated[bool, typer.Option("--remove", help="Remove the address; a letter says so there.")] = False,
    as_json: JsonOption = False,
) -> None:
    """
    Show the e-mail address of an account, send a link to a new one, or remove it.

    Examples:
        pigpen account mail ada

        pigpen account mail ada ada@mail.example

        pigpen account mail ada --remove
    """
    from ladder.app.accounts import mail

    if address is not None and remove:
        raise UserError("An address and --remove exclude each other: choose one.")
    if language not in mail.LETTER_LANGUAGES:
        raise UserError(f"{language!r} is no language of letters. There are: {', '.join(mail.LETTER_LANGUAGES)}")
    with opened() as ladder:
        if address is not None:
            mail.ask_for(ladder, LOCAL, name, address, language)
        elif remove:
            mail.remove(ladder, LOCAL, name)
        found = mail.mail_of(ladder, LOCAL, name)
    if as_json:
        print_json(found or NONE)
    else:
        typer.echo(sanitize(_sentence(name, found)))


def _sentence(name: str, found: AccountMail | None) -> str:
    if found is None:
        return f"{name} has no e-mail address."
    waits = f" {found.pending} waits for its confirmation." if found.pending else ""
    if found.address is None:
        return f"{name} has no confirmed e-mail address.{waits}"
    refused = " The mail server says that there is no such address." if found.is_refused else ""
    return f"Letters to {name} go to {found.address}.{refused}{waits}"
