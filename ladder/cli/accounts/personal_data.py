"""`pigpen account export`, `rename`, `delete`, `mail`: a person's own data, as the organiser handles it on request."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ladder.cli.accounts.accounts import NameArgument
from ladder.errors import UserError
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import opened
from ladder.terminal.sanitize import json_line, sanitize
from ladder.values.accounts import LOCAL
from ladder.values.mail import AccountMail
from ladder.values.text import counted

NO_MAIL = AccountMail(address=None, pending=None, language="en", notices=(), is_refused=False)
"""The value of an account without an address."""


def export(
    name: NameArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to this new file; by default: to stdout.")
    ] = None,
) -> None:
    """
    Write all that the ladder knows about an account as JSON: its rows in every table.

    Secrets, notes that others wrote, and the names and addresses of others are left out.

    Examples:
        pigpen account export ada > ada.json

        pigpen account export ada --output ada.json
    """
    from ladder.app.new_file import write_new
    from ladder.app.personal_data import as_json
    from ladder.app.personal_data import export as read

    with opened() as ladder:
        found = read(ladder, LOCAL, name)
    if output is None:
        typer.echo(json_line(found.model_dump(mode="json")))
    else:
        write_new(output, [as_json(found)])
        typer.echo(sanitize(f"All that the ladder knows about {name} is in {output}."), err=True)


def rename(name: NameArgument, new: Annotated[str, typer.Argument(help="The new name.")]) -> None:
    """
    Give an account another name. Its bots keep theirs; no other account gets the old name.

    Examples:
        pigpen account rename ada ada-l
    """
    from ladder.app import personal_data

    with opened() as ladder:
        personal_data.rename(ladder, LOCAL, name, new)
    typer.echo(sanitize(f"{name} is {new} now."))


def delete(
    name: NameArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: JsonOption = False,
) -> None:
    """
    Delete an account for good: the person's name, sessions, tokens, submissions, studies, games, and bots' programs.

    Its bots retire. Results, ratings and records stay, under the bots' names; their owner gets a pseudonym. Copies of
    the ladder made before (pigpen db backup) still hold the data.

    Examples:
        pigpen account delete ada

        pigpen account delete ada --yes
    """
    from ladder.app import personal_data

    with opened() as ladder:
        bots = personal_data.bots_that_keep_the_name(ladder, LOCAL, name)
        if bots:
            named = ", ".join(bots)
            typer.echo(sanitize(f"The account's name stays in the {counted(len(bots), 'bot name')} {named}."), err=True)
        if not yes:
            if not sys.stdin.isatty():
                raise UserError(f"This deletes {name} for good. If you mean it: pigpen account delete {name} --yes")
            typed = typer.prompt(f"Type {sanitize(name)} to delete the account for good", err=True)
            personal_data.check_confirmed(name, typed)
        done = personal_data.delete(ladder, LOCAL, name)
    if as_json:
        print_json(done)
        return
    typer.echo(sanitize(f"{name} is deleted. The owner of its bots is called {done.pseudonym} now."))
    if not done.is_complete:
        typer.echo("Files of its bots are still needed; pigpen ladder run removes them when they are not.", err=True)


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
        print_json(found or NO_MAIL)
    else:
        typer.echo(sanitize(_mail_sentence(name, found)))


def _mail_sentence(name: str, found: AccountMail | None) -> str:
    if found is None:
        return f"{name} has no e-mail address."
    waits = f" {found.pending} waits for its confirmation." if found.pending else ""
    if found.address is None:
        return f"{name} has no confirmed e-mail address.{waits}"
    refused = " The mail server says that there is no such address." if found.is_refused else ""
    return f"Letters to {name} go to {found.address}.{refused}{waits}"
