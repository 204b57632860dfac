"""`pigpen ladder webhook`: where the ladder sends messages about its events and bots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import opened
from ladder.terminal.sanitize import sanitize
from ladder.values.accounts import LOCAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.values.webhooks import WebhookRow

webhook = typer.Typer(
    name="webhook",
    help="Send messages about events and bots to other programs.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
NumberArgument = Annotated[int, typer.Argument(metavar="NUMBER", help="Its number; see: pigpen ladder webhook list")]


@webhook.callback()
def _webhook() -> None:
    """Send messages about events and bots to other programs."""


@webhook.command()
def add(
    url: Annotated[
        str, typer.Argument(metavar="URL", help="The receiver's address, such as https://hooks.example/pig")
    ],
    event: Annotated[str | None, typer.Option(help="Send only messages about this event.")] = None,
    on: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND", help="Send only messages of this kind; may be given several times."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """
    Add a webhook: what happens from now on is sent to an address, as signed JSON (Standard Webhooks).

    The secret with which the receiver verifies signatures is printed this once. Messages are sent while pigpen ladder
    run, or pigpen up, runs. Kinds of messages: event.opened, event.entry_made, event.entry_checked_in,
    event.entry_withdrawn, event.held, event.frozen, event.started, event.stage_begun, event.round_drawn,
    event.result_shown, event.table_redone, event.bot_left, event.round_over, event.paused, event.resumed, event.over,
    event.official, bot.entered, bot.suspended.

    Examples:
        pigpen ladder webhook add https://hooks.example/pigpen

        pigpen ladder webhook add https://hooks.example/cup --event cup --on event.round_drawn --on event.over
    """
    from ladder.app import webhooks

    with opened() as ladder:
        added = webhooks.add(ladder, LOCAL, url, event, on or [])
    if as_json:
        print_json(added)
    else:
        typer.echo(
            sanitize(f"Webhook {added.number} is added. To send a test: pigpen ladder webhook test {added.number}")
        )
        typer.echo(sanitize(f"Its secret, which is not shown again: {added.secret}"))


@webhook.command("list")
def list_webhooks(as_json: JsonOption = False) -> None:
    """
    List webhooks: what they are for, what waits, and why one is disabled.

    Examples:
        pigpen ladder webhook list
    """
    from ladder.app import webhooks

    with opened() as ladder:
        found = webhooks.webhooks(ladder, LOCAL)
    if as_json:
        print_json(found)
        return
    for row in found:
        for line in _lines(row):
            typer.echo(sanitize(line))
    if not found:
        typer.echo("There are no webhooks. To add one: pigpen ladder webhook add URL")


@webhook.command()
def remove(number: NumberArgument, as_json: JsonOption = False) -> None:
    """
    Remove a webhook. Messages that wait for it are not sent.

    Examples:
        pigpen ladder webhook remove 1
    """
    from ladder.app import webhooks

    with opened() as ladder:
        row = webhooks.remove(ladder, LOCAL, number)
    if as_json:
        print_json(row)
    else:
        typer.echo(sanitize(f"Webhook {number} is removed: {row.url}"))


@webhook.command("test")
def send_test(number: NumberArgument, as_json: JsonOption = False) -> None:
    """
    Send a message to a webhook now, and say what it answers. A disabled webhook that accepts it is enabled again.

    The exit code is 1 if the message is not accepted.

    Examples:
        pigpen ladder webhook test 1
    """
    from ladder.app import webhooks

    with opened() as ladder:
        tested = webhooks.send_test(ladder, LOCAL, number)
    if as_json:
        print_json(tested)
    else:
        typer.echo(sanitize(f"{'Accepted' if tested.accepted else 'Not accepted'}. {tested.sentence}"))
    if not tested.accepted:
        raise typer.Exit(1)


def _lines(row: WebhookRow) -> Iterator[str]:
    about = f"about {row.event}" if row.event else "about all events" + ("" if row.kinds else " and bots")
    yield f"{row.number}  {row.url}"
    yield f"   {about}: {', '.join(row.kinds) or 'all messages'}"
    delivered = f"{row.delivered:%Y-%m-%d %H:%M} UTC" if row.delivered else "never"
    yield f"   last accepted: {delivered}; {row.waiting} waiting; {row.given_up} given up"
    if row.disabled:
        again = f"To enable it: pigpen ladder webhook test {row.number}"
        yield f"   disabled since {row.disabled:%Y-%m-%d %H:%M} UTC. {row.reason} {again}"
    elif row.reason:
        yield f"   last attempt: {row.reason}"
