"""`pigpen event`: how an event is held on a ladder."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import LocalOption, asked
from ladder.terminal.sanitize import sanitize
from ladder.values.held_events import EventAct, EventDone, EventState
from ladder.values.text import counted
from ladder.values.value import in_utc

if TYPE_CHECKING:
    from collections.abc import Callable


EventArgument = Annotated[str, typer.Argument(metavar="EVENT", help="Its name on the ladder; see: pigpen event list")]
BotArgument = Annotated[str, typer.Argument(metavar="BOT", help="A bot, which means its newest version, or Trotter@2.")]
RoundOption = Annotated[int, typer.Option("--round", min=1, help="Number of the round within the event.")]
TableOption = Annotated[int, typer.Option("--table", min=1, help="Number of the table.")]
WAIT_SECONDS = 10.0
"""Seconds between two looks at an event that is awaited."""
ReasonOption = Annotated[str, typer.Option(help="The reason.")]


def list_events(as_json: JsonOption = False, local: LocalOption = False) -> None:
    """
    List the events of the ladder, the newest first.

    Examples:
        pigpen event list
    """
    with asked(local) as ladder:
        found = ladder.events()
    if as_json:
        print_json(found)
    else:
        from ladder.cli.event.event_tables import print_events

        print_events(found)


def open_event(
    file: Annotated[Path, typer.Argument(help="The event's file.")],
    name: Annotated[str, typer.Option(help="Its name on the ladder; by default that of the file.")] = "",
    as_json: JsonOption = False,
    local: LocalOption = False,
) -> None:
    """
    Open the registration of an event. Its seed is chosen now; the SHA-256 of the seed becomes public.

    Examples:
        pigpen event open cup.toml

        pigpen event open cup.toml --name spring-cup
    """
    from ladder.app.event.event_files import read_event_text

    text, rules = read_event_text(file)
    name = name or file.stem
    with asked(local) as ladder:
        page = ladder.open_event(name, text, rules)
    if as_json:
        print_json(page)
    else:
        typer.echo(sanitize(f"{name} is open. Bots enter with: pigpen event enter {name} BOT"))


def enter(
    event: EventArgument,
    bot: BotArgument,
    ladder_nonce: Annotated[
        bool,
        typer.Option(
            "--ladder-nonce",
            help="Let the ladder make the nonce and reveal it: nothing is left to do, and its organiser could know it.",
        ),
    ] = False,
    as_json: JsonOption = False,
    local: LocalOption = False,
) -> None:
    """
    Enter a bot in an event. It plays with this version to the end, whatever becomes of it on the ladder.

    Entered again, with a newer version, it takes the place of the older one.

    A number that is used once, a nonce, is made and kept on this machine; the ladder gets its SHA-256. All nonces enter
    the draw, so its organiser cannot have chosen it. Once the list of entrants is final, reveal it with pigpen event
    reveal. Without that a bot is taken off the field, unless the event has a beacon.

    Examples:
        pigpen event enter cup Trotter

        pigpen event enter cup Trotter@2 --ladder-nonce
    """
    with asked(local) as ladder:
        done = ladder.enter_event(event, bot, ladder_nonce=ladder_nonce)
        page = ladder.event(event, everything=False)
    if as_json:
        print_json(page)
        return
    typer.echo(sanitize(f"{done.bot} has entered {event}."))
    entry = next((one for one in page.entrant_list if one.name == done.bot), None)
    if entry and entry.waiting:
        typer.echo(sanitize(f"All places are taken: it is number {entry.waiting} on the waiting list."))
    if page.check_in and page.freezes and entry and not entry.checked_in:
        when = f"from {in_utc(page.check_in)} to {in_utc(page.freezes)}"
        typer.echo(sanitize(f"It plays only if it is checked in, {when}: pigpen event check-in {event} {done.bot}"))
    if entry and entry.has_own_nonce:
        cost = "" if page.beacon else ", or the bot is taken off the field"
        typer.echo(
            sanitize(
                f"Its nonce is kept on this machine. After the freeze reveal it{cost}: pigpen event reveal {event}"
            )
        )


def check_in(event: EventArgument, bot: BotArgument, as_json: JsonOption = False, local: LocalOption = False) -> None:
    """
    Check in a bot that has entered an event whose file asks for it, between check_in and freezes.

    Who does not check in is not on the list of entrants. Keep the stamp that is printed: if the check-in is not in the
    event's chain at the end, pigpen event verify --published finds it. An organiser may check in bots of others;
    that is public.

    Examples:
        pigpen event check-in cup Trotter
    """
    with asked(local) as ladder:
        done = ladder.act_on_event(event, EventAct.model_construct(act="check-in", bot=bot))
        page = ladder.event(event, everything=False)
    if as_json:
        print_json(page)
        return
    typer.echo(sanitize(f"{done.bot} is checked in to {event}: {page.stamp}"))
    if place := next((one.waiting for one in page.entrant_list if one.name == done.bot), None):
        typer.echo(sanitize(f"It is number {place} on the waiting list, and plays if enough places become free."))


def reveal(
    event: EventArgument,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until the list of entrants is final.")] = False,
    as_json: JsonOption = False,
    local: LocalOption = False,
) -> None:
    """
    Reveal the nonces of your entries, once the list of entrants is final; they were made on this machine.

    It prints the stamp of that list before it sends them. Keep the line: if the list is another one at the end, pigpen
    event verify --published finds it.

    Examples:
        pigpen event reveal cup

        pigpen event reveal cup --wait
    """
    with asked(local) as ladder:
        before = ladder.event(event, everything=False)
        while wait and before.state is EventState.OPEN:
            time.sleep(WAIT_SECONDS)
            before = ladder.event(event, everything=False)
        if before.state is EventState.FROZEN and not as_json:
            typer.echo(sanitize(f"The list of entrants is final: {before.stamp}"))
        bots = ladder.reveal_nonces(event)
        page = ladder.event(event, everything=False) if as_json else None
    if page is not None:
        print_json(page)
    elif bots:
        typer.echo(sanitize(f"The nonce of {', '.join(bots)} is revealed."))
    else:
        typer.echo(sanitize(f"No nonce that is kept on this machine is to be revealed in {event}."))


def beacon(
    event: EventArgument,
    file: Annotated[Path, typer.Argument(help="A file with what the beacon's address gives.")],
    as_json: JsonOption = False,
    local: LocalOption = False,
) -> None:
    """
    Give an event the value of its beacon, on a machine whose runner cannot fetch it; it is public, and stays.

    Examples:
        pigpen event beacon cup round.json
    """
    from ladder.app.event.event_files import read_beacon

    value = read_beacon(file)
    sentence = f"The value of the beacon of {event} is stored."
    _do(event, EventAct.model_construct(act="beacon", value=value), lambda _: sentence, as_json, local)


def withdraw(event: EventArgument, bot: BotArgument, as_json: JsonOption = False, local: LocalOption = False) -> None:
    """
    Withdraw a bot from an event. Once the list of entrants is final, a stand-in takes its seat from the next round on.

    Examples:
        pigpen event withdraw cup Trotter
    """

    def sentence(done: EventDone) -> str:
        if done.round is None:
            return f"{bot} has left {event}."
        return f"{bot} leaves after {counted(done.round, 'round')}; a stand-in replaces it in {event}."

    _do(event, EventAct.model_construct(act="withdraw", bot=bot), sentence, as_json, local)


def freeze(event: EventArgument, as_json: JsonOption = False, local: LocalOption = False) -> None:
    """
    Make the list of entrants final. With the seed, its SHA-256 decides every draw and all cards.

    Examples:
        pigpen event freeze cup
    """
    sentence = f"The list of entrants of {event} is final. Next: pigpen event start {event}"
    _do(event, EventAct.model_construct(act="freeze"), lambda _: sentence, as_json, local)


def start(event: EventArgument, as_json: JsonOption = False, local: LocalOption = False) -> None:
    """
    Start an event, or resume it. Rounds are drawn by themselves; pigpen ladder run plays them, before other matches.

    Examples:
        pigpen event start cup
    """
    sentence = f"{event} runs. Its matches are played on the ladder's machine, by: pigpen up, or pigpen ladder run"
    _do(event, EventAct.model_construct(act="start"), lambda _: sentence, as_json, local)


def hold(
    event: EventArgument,
    reason: Annotated[str, typer.Option(help="Shown with the event.")] = "",
    as_json: JsonOption = False,
    local: LocalOption = False,
) -> None:
    """
    Let the times of an event's file do nothing: it is neither frozen nor started at them, and bots may enter longer.

    To continue: pigpen event freeze, or start if the list is final already.

    Examples:
        pigpen event hold cup --reason "Two more are on their way."
    """
    way = f"pigpen event freeze {event}; if its list is final already: pigpen event start {event}"
    sentence = f"{event} is on hold. To continue: {way}"
    _do(event, EventAct.model_construct(act="hold", reason=reason), lambda _: sentence, as_json, local)


def pause(
    event: EventArgument,
    reason: Annotated[str, typer.Option(help="Shown with the event.")] = "",
    as_json: JsonOption = False,
    local: LocalOption = False,
) -> None:
    """
    Draw no further round until pigpen event start. Matches of the last round are played.

    Examples:
        pigpen event pause cup --reason "Dinner."
    """
    sentence = f"{event} is paused. To resume it: pigpen event start {event}"
    _do(event, EventAct.model_construct(act="pause", reason=reason), lambda _: sentence, as_json, local)


def draw_on_ladder(event: str, as_json: bool, local: bool) -> None:
    """Draw the next round of an event of the ladder now."""

    def sentence(done: EventDone) -> str:
        return f"Round {done.round} of {event} is drawn." if done.round else f"No round of {event} follows: it is over."

    _do(event, EventAct.model_construct(act="draw"), sentence, as_json, local)


def redo(
    event: EventArgument,
    round_number: RoundOption,
    table: TableOption,
    reason: ReasonOption,
    as_json: JsonOption = False,
    local: LocalOption = False,
) -> None:
    """
    Let a table of the last round be played again, with other cards. Its result so far does not count, and is shown.

    Once the event is over, no table is played again: see pigpen event rule.

    Examples:
        pigpen event redo cup --round 3 --table 2 --reason "The machine of a bot had failed."
    """

    def sentence(done: EventDone) -> str:
        return f"Table {table} of round {round_number} is played again, as match {done.match}."

    _do(
        event,
        EventAct.model_construct(act="redo", round=round_number, table=table, reason=reason),
        sentence,
        as_json,
        local,
    )


def rule(
    event: EventArgument,
    round_number: RoundOption,
    table: TableOption,
    last: Annotated[list[str], typer.Option(help="A bot that is last on every board; may be given several times.")],
    reason: ReasonOption,
    as_json: JsonOption = False,
    local: LocalOption = False,
) -> None:
    """
    Decide that bots are last at a table. Standings and later draws follow; tables that have been drawn stay.

    A ruling by which others would have advanced to a round that has been drawn is refused. So is any once the results
    are official: appeal_hours after the end, if the event's file says so.

    Examples:
        pigpen event rule cup --round 2 --table 1 --last Trotter --reason "It knew the cards."
    """
    sentence = f"{', '.join(last)}: last at table {table} of round {round_number}."
    wanted = EventAct.model_construct(act="rule", round=round_number, table=table, last=tuple(last), reason=reason)
    _do(event, wanted, lambda _: sentence, as_json, local)


def release(event: EventArgument, as_json: JsonOption = False, local: LocalOption = False) -> None:
    """
    Show the result of the next table of an event with show = "manual", or of a round that is not over.

    Examples:
        pigpen event release cup
    """

    def sentence(done: EventDone) -> str:
        where = f"Table {done.table} of round {done.round}"
        return f"{where} is shown." if done.round else "There is no result that is not shown."

    _do(event, EventAct.model_construct(act="release"), sentence, as_json, local)


def show(
    event: EventArgument,
    everything: Annotated[bool, typer.Option("--all", help="Also what the public may not know yet.")] = False,
    as_json: JsonOption = False,
    local: LocalOption = False,
) -> None:
    """
    Show an event: its state, entrants, rounds, results and standings, as far as they are public.

    Examples:
        pigpen event show cup

        pigpen event show cup --all --json
    """
    with asked(local) as ladder:
        page = ladder.event(event, everything=everything)
    if as_json:
        print_json(page)
    else:
        from ladder.cli.event.event_tables import print_page

        print_page(page)


def export(
    event: EventArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The new file; by default EVENT.zip in this folder.")
    ] = None,
    as_json: JsonOption = False,
    local: LocalOption = False,
) -> None:
    """
    Write an event that is over to one file: its seed, entrants, draws, results, and the records of all matches.

    Anyone can verify it with that file alone: pigpen event verify FILE.

    Examples:
        pigpen event export cup

        pigpen event export cup -o cup-2026.zip
    """
    path = output or Path(f"{event}.zip")
    with asked(local) as ladder:
        ladder.export_event(event, path)
    if as_json:
        from ladder.app.event.export_file import read_export

        print_json(read_export(path))
    else:
        typer.echo(sanitize(f"Wrote {path}. Verify it with: pigpen event verify {path}"))


def verify(
    file: Annotated[Path, typer.Argument(help="A file that pigpen event export has written.")],
    published: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE|URL",
            help="A copy from before the end: a webhook's message, the feed, the event's page or JSON, an export.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """
    Verify an event from its export: make every draw again, play every match again, find all places again.

    The exit code is 1 if anything is not as the seed, the list of entrants, the chain and the records say. No ladder is
    needed. That proves that the file agrees with itself. That it is the event which was announced shows a copy of
    its stamps which was published meanwhile: --published.

    Examples:
        pigpen event verify cup.zip

        pigpen event verify cup.zip --published message.json --published https://pigpen.example/events/feed.atom
    """
    from ladder.app.event.verifying import verify_event

    found = verify_event(file, published or ())
    if as_json:
        print_json(found)
    else:
        for sentence in found.findings:
            typer.echo(sanitize(sentence))
        counts = {"round": found.rounds, "table": found.tables, "record": found.records, "deal": found.deals}
        checked = ", ".join(counted(count, noun) for noun, count in counts.items())
        typer.echo(sanitize(f"{found.event} {'holds' if found.holds else 'does not hold'}: {checked}."))
        if found.winner:
            typer.echo(sanitize(f"Winner: {found.winner}"))
        typer.echo(sanitize(f"Commitment: SHA-256 {found.commitment}"))
        typer.echo(sanitize(f"Entrants: SHA-256 {found.entrants_hash}"))
        typer.echo(sanitize(f"Contributions: SHA-256 {found.contributions}"))
        typer.echo(sanitize(f"End of the chain: {found.stamp}"))
        if found.published:
            typer.echo(sanitize(f"{counted(found.published, 'published stamp')} compared."))
        else:
            typer.echo(sanitize("No published copy was compared: see --published."))
    if not found.holds:
        raise typer.Exit(1)


def _do(event: str, wanted: EventAct, sentence: Callable[[EventDone], str], as_json: bool, local: bool) -> None:
    """Do something with an event, and print a sentence, or the event as it is then."""
    with asked(local) as ladder:
        done = ladder.act_on_event(event, wanted)
        page = ladder.event(event, everything=False) if as_json else None
    if page is None:
        typer.echo(sanitize(sentence(done)))
    else:
        print_json(page)


COMMANDS: dict[str, Callable[..., None]] = {
    "list": list_events,
    "open": open_event,
    "enter": enter,
    "check-in": check_in,
    "reveal": reveal,
    "withdraw": withdraw,
    "hold": hold,
    "freeze": freeze,
    "beacon": beacon,
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
