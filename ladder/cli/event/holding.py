"""`pigpen event`: how an event is held on a ladder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import opened
from ladder.terminal.sanitize import sanitize
from ladder.values.accounts import LOCAL

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.app.ladder import Ladder

EventArgument = Annotated[str, typer.Argument(metavar="EVENT", help="Its name on the ladder; see: pigpen event list")]
BotArgument = Annotated[str, typer.Argument(metavar="BOT", help="A bot, which means its newest version, or Trotter@2.")]
RoundOption = Annotated[int, typer.Option("--round", min=1, help="Number of the round within the event.")]
TableOption = Annotated[int, typer.Option("--table", min=1, help="Number of the table.")]
ReasonOption = Annotated[str, typer.Option(help="The reason.")]


def list_events(as_json: JsonOption = False) -> None:
    """
    List the events of the ladder, the newest first.

    Examples:
        pigpen event list
    """
    from ladder.app.event.reading import events

    with opened() as ladder:
        found = events(ladder)
    if as_json:
        print_json(found)
    else:
        from ladder.cli.event.pages import print_events

        print_events(found)


def open_event(
    file: Annotated[Path, typer.Argument(help="The event's file.")],
    name: Annotated[str, typer.Option(help="Its name on the ladder; by default that of the file.")] = "",
    as_json: JsonOption = False,
) -> None:
    """
    Open the registration of an event. Its seed is chosen now; the SHA-256 of the seed becomes public.

    Examples:
        pigpen event open cup.toml

        pigpen event open cup.toml --name spring-cup
    """
    from ladder.app.event.files import read_event_text
    from ladder.app.event.holding import open_event as begin

    text, rules = read_event_text(file)
    name = name or file.stem
    with opened() as ladder:
        begin(ladder, LOCAL, name, text, rules)
        _say(ladder, name, f"{name} is open. Bots enter with: pigpen event enter {name} BOT", as_json)


def enter(event: EventArgument, bot: BotArgument, as_json: JsonOption = False) -> None:
    """
    Enter a bot in an event. It plays with this version to the end, whatever becomes of it on the ladder.

    Entered again, with a newer version, it takes the place of the older one.

    Examples:
        pigpen event enter cup Trotter

        pigpen event enter cup Trotter@2
    """
    from ladder.app.event.holding import enter as enter_bot

    with opened() as ladder:
        found = enter_bot(ladder, LOCAL, event, bot)
        _say(ladder, event, f"{found} has entered {event}.", as_json)


def withdraw(event: EventArgument, bot: BotArgument, as_json: JsonOption = False) -> None:
    """
    Withdraw a bot from an event. Once the list of entrants is final, a stand-in takes its seat from the next round on.

    Examples:
        pigpen event withdraw cup Trotter
    """
    from ladder.app.event.holding import withdraw as withdraw_bot

    with opened() as ladder:
        rounds = withdraw_bot(ladder, LOCAL, event, bot)
        left = "has left" if rounds is None else f"leaves after {rounds} rounds; a stand-in replaces it in"
        _say(ladder, event, f"{bot} {left} {event}.", as_json)


def freeze(event: EventArgument, as_json: JsonOption = False) -> None:
    """
    Make the list of entrants final. With the seed, its SHA-256 decides every draw and all cards.

    Examples:
        pigpen event freeze cup
    """
    from ladder.app.event.holding import freeze as freeze_entrants

    with opened() as ladder:
        freeze_entrants(ladder, LOCAL, event)
        _say(ladder, event, f"The list of entrants of {event} is final. Next: pigpen event start {event}", as_json)


def start(event: EventArgument, as_json: JsonOption = False) -> None:
    """
    Start an event, or resume it. Rounds are drawn by themselves; pigpen ladder run plays them, before other matches.

    Examples:
        pigpen event start cup
    """
    from ladder.app.event.holding import start as start_event

    with opened() as ladder:
        start_event(ladder, LOCAL, event)
        _say(ladder, event, f"{event} runs. Its matches are played by: pigpen ladder run", as_json)


def pause(
    event: EventArgument,
    reason: Annotated[str, typer.Option(help="Shown with the event.")] = "",
    as_json: JsonOption = False,
) -> None:
    """
    Draw no further round until pigpen event start. Matches of the last round are played.

    Examples:
        pigpen event pause cup --reason "Dinner."
    """
    from ladder.app.event.holding import pause as pause_event

    with opened() as ladder:
        pause_event(ladder, LOCAL, event, reason)
        _say(ladder, event, f"{event} is paused. To resume it: pigpen event start {event}", as_json)


def draw_on_ladder(event: str, as_json: bool) -> None:
    """Draw the next round of an event of the ladder now."""
    from ladder.app.event.holding import draw

    with opened() as ladder:
        number = draw(ladder, LOCAL, event)
        what = f"Round {number} of {event} is drawn." if number else f"No round of {event} follows: it is over."
        _say(ladder, event, what, as_json)


def redo(
    event: EventArgument,
    round_number: RoundOption,
    table: TableOption,
    reason: ReasonOption,
    as_json: JsonOption = False,
) -> None:
    """
    Let a table of the last round be played again, with other cards. Its result so far does not count.

    Examples:
        pigpen event redo cup --round 3 --table 2 --reason "The machine of a bot had failed."
    """
    from ladder.app.event.holding import redo as redo_table

    with opened() as ladder:
        match = redo_table(ladder, LOCAL, event, round_number, table, reason)
        _say(ladder, event, f"Table {table} of round {round_number} is played again, as match {match}.", as_json)


def rule(
    event: EventArgument,
    round_number: RoundOption,
    table: TableOption,
    last: Annotated[list[str], typer.Option(help="A bot that is last on every board; may be given several times.")],
    reason: ReasonOption,
    as_json: JsonOption = False,
) -> None:
    """
    Decide that bots are last at a table. Standings and later draws follow; tables that have been drawn stay.

    A ruling by which others would have gone on to a round that has been drawn is refused.

    Examples:
        pigpen event rule cup --round 2 --table 1 --last Trotter --reason "It knew the cards."
    """
    from ladder.app.event.holding import rule as rule_table

    with opened() as ladder:
        rule_table(ladder, LOCAL, event, round_number, table, last, reason)
        _say(ladder, event, f"{', '.join(last)}: last at table {table} of round {round_number}.", as_json)


def release(event: EventArgument, as_json: JsonOption = False) -> None:
    """
    Show the result of the next table of an event with show = "manual", or of a round that is not over.

    Examples:
        pigpen event release cup
    """
    from ladder.app.event.holding import release as release_table

    with opened() as ladder:
        shown = release_table(ladder, LOCAL, event)
        what = f"Table {shown[1]} of round {shown[0]} is shown." if shown else "There is no result that is not shown."
        _say(ladder, event, what, as_json)


def show(
    event: EventArgument,
    everything: Annotated[bool, typer.Option("--all", help="Also what the public may not know yet.")] = False,
    as_json: JsonOption = False,
) -> None:
    """
    Show an event: its state, entrants, rounds, results and standings, as far as they are public.

    Examples:
        pigpen event show cup

        pigpen event show cup --all --json
    """
    from ladder.app.event.reading import event as read

    with opened() as ladder:
        page = read(ladder, LOCAL, event, everything=everything)
    if as_json:
        print_json(page)
    else:
        from ladder.cli.event.pages import print_page

        print_page(page)


def export(
    event: EventArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The new file; by default EVENT.zip in this folder.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """
    Write an event that is over to one file: its seed, entrants, draws, results, and the records of all matches.

    Anyone can verify it with that file alone: pigpen event verify FILE.

    Examples:
        pigpen event export cup

        pigpen event export cup -o cup-2026.zip
    """
    from ladder.app.event.exporting import export_event

    path = output or Path(f"{event}.zip")
    with opened() as ladder:
        found = export_event(ladder, event, path)
    if as_json:
        print_json(found)
    else:
        typer.echo(sanitize(f"Wrote {path}. Verify it with: pigpen event verify {path}"))


def verify(
    file: Annotated[Path, typer.Argument(help="A file that pigpen event export has written.")],
    as_json: JsonOption = False,
) -> None:
    """
    Verify an event from its export: make every draw again, play every match again, find all places again.

    The exit code is 1 if anything is not as the seed, the list of entrants and the records say. No ladder is needed.

    Examples:
        pigpen event verify cup.zip
    """
    from ladder.app.event.verifying import verify_event

    found = verify_event(file)
    if as_json:
        print_json(found)
    else:
        for sentence in found.findings:
            typer.echo(sanitize(sentence))
        counted = f"{found.rounds} rounds, {found.tables} tables, {found.records} records, {found.deals:,} deals"
        typer.echo(sanitize(f"{found.event}: {'it holds' if found.holds else 'it does not hold'} ({counted})."))
        if found.winner:
            typer.echo(sanitize(f"Winner: {found.winner}"))
    if not found.holds:
        raise typer.Exit(1)


def _say(ladder: Ladder, event: str, sentence: str, as_json: bool) -> None:
    """Print what was done: a sentence, or the event as it is now."""
    if not as_json:
        typer.echo(sanitize(sentence))
        return
    from ladder.app.event.reading import event as read

    print_json(read(ladder, LOCAL, event))


COMMANDS: dict[str, Callable[..., None]] = {
    "list": list_events,
    "open": open_event,
    "enter": enter,
    "withdraw": withdraw,
    "freeze": freeze,
    "start": start,
    "pause": pause,
    "redo": redo,
    "rule": rule,
    "release": release,
    "show": show,
    "export": export,
    "verify": verify,
}
"""By name."""
