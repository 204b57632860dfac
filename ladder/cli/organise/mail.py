"""`pigpen ladder mail`: a test of the ladder's e-mail, and how far its letters are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import opened
from ladder.terminal.sanitize import sanitize
from ladder.values.accounts import LOCAL
from ladder.values.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.values.mail import MailStatus

mail = typer.Typer(
    name="mail",
    help="Test the ladder's e-mail, and see which letters wait or were given up.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@mail.callback()
def _mail() -> None:
    """Test the ladder's e-mail, and see which letters wait or were given up."""


@mail.command("test")
def send_test(
    address: Annotated[str, typer.Argument(help="To which address; such as your own.")],
    as_json: JsonOption = False,
) -> None:
    """
    Send a letter to an address now, and say what the mail server answers.

    The exit code is 1 if the letter is not accepted. Settings: mail_host, mail_sender and others in pigpen.toml.

    Examples:
        pigpen ladder mail test olga@arena.example
    """
    from ladder.mail import sending

    with opened() as ladder:
        tested = sending.send_test(ladder, LOCAL, address)
    if as_json:
        print_json(tested)
    else:
        typer.echo(sanitize(f"{'Accepted' if tested.accepted else 'Not accepted'}. {tested.sentence}"))
    if not tested.accepted:
        raise typer.Exit(1)


@mail.command("status")
def show_status(as_json: JsonOption = False) -> None:
    """
    Show how many letters were sent, wait, or were given up, and why.

    Examples:
        pigpen ladder mail status
    """
    from ladder.app.health import mail_status

    with opened() as ladder:
        found = mail_status(ladder, LOCAL)
    if as_json:
        print_json(found)
        return
    for line in _lines(found):
        typer.echo(sanitize(line))


def _lines(found: MailStatus) -> Iterator[str]:
    yield f"Server: {found.server or 'none; the ladder sends no e-mail'}"
    yield f"Accounts with a confirmed address: {found.addresses}"
    yield f"Sent in the last 24 hours: {counted(found.sent_a_day, 'letter')}"
    oldest = f", the oldest for {found.oldest_seconds / 60:,.0f} min" if found.waiting else ""
    yield f"Waiting: {counted(found.waiting, 'letter')}{oldest}"
    if found.reason:
        yield f"   last attempt: {found.reason}"
    yield f"Given up in the last 30 days: {counted(found.given_up, 'letter')}"
    if found.given_up_reason:
        yield f"   the last one: {found.given_up_reason}"
