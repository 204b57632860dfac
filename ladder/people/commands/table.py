"""
Commands for tables with people: `pigpen table`, `pigpen ladder tables` and `pigpen allow-people`.

`pigpen table` opens a table for people on the ladder's site. `pigpen ladder tables` plays the tables with people. With
`pigpen allow-people` an owner lets people play with a bot, or no longer.
"""

from __future__ import annotations

from typing import Annotated

import typer

from ladder.app.accounts.links import why_nobody_comes
from ladder.people.tables.order_arguments import ordered_table
from ladder.terminal.json_output import print_json
from ladder.terminal.ladder import LocalOption, asked, opened
from ladder.terminal.options import PACE, StderrOption, say
from ladder.terminal.running import run
from ladder.terminal.sanitize import sanitize
from ladder.values.clocks import MAX_PERSON_SECONDS as MAX_SECONDS
from ladder.values.clocks import MIN_SECONDS
from ladder.values.people import TablePurpose


def allow_people(
    bot: Annotated[str, typer.Argument(help="The bot.")],
    off: Annotated[bool, typer.Option("--off", help="Forbid it again; tables that have begun continue.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    local: LocalOption = False,
) -> None:
    """
    Let people play with a bot at their tables. These games are not rated.

    Without this, only other bots play with a bot.

    Examples:
        pigpen allow-people Trotter

        pigpen allow-people Trotter --off
    """
    with asked(local) as ladder:
        done = ladder.allow_people(bot, not off)
    if as_json:
        print_json(done)
    elif done.allowed:
        typer.echo(sanitize(f"People may play with {done.bot} now."))
    else:
        typer.echo(sanitize(f"People may no longer play with {done.bot}."))


OPENED = "people open their tables"
"""Text for the events on the site from which this process has work."""


def run_tables(log_to_stderr: StderrOption = True) -> None:
    """
    Play the tables with people, in the browser or in a terminal. Ctrl-C ends it.

    The site opens tables, and this process plays them; pigpen up runs both. As long as no site runs here, it says
    so and waits. When it is started again, it continues all tables at the same card.

    Examples:
        pigpen ladder tables
    """
    from ladder.people.playing.table_work import play_tables

    with opened() as ladder:
        if reason := why_nobody_comes(ladder.settings, OPENED):
            say(reason)
        run(play_tables(ladder, log_to_stderr=log_to_stderr))


def table(
    variant: Annotated[str, typer.Argument(help="A variant of the ladder, a preset, or a TOML file.")] = "gongzhu",
    chairs: Annotated[
        str,
        typer.Option(help="Who sits in each chair, separated by commas: person, a house bot, or a bot of the ladder."),
    ] = "",
    deals: Annotated[int | None, typer.Option(min=1, help="Number of deals to play. By default: a whole game.")] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=MIN_SECONDS,
            max=MAX_SECONDS,
            help="Seconds that a person has for each decision. By default: no limit among bots, else 30.",
        ),
    ] = None,
    pace: Annotated[
        float, typer.Option(min=0.0, max=10.0, help="Seconds that each card is shown before the next one.")
    ] = PACE,
    practice: Annotated[
        bool, typer.Option("--practice", help="Allow people to ask for estimates, and to take cards back.")
    ] = False,
    today: Annotated[bool, typer.Option("--today", help="Play today's board, the same for everybody.")] = False,
    board: Annotated[
        str,
        typer.Option(metavar="MATCH/BOARD/ROTATION/SEAT", help="Play a board of a match again, in the place of a bot."),
    ] = "",
    name: Annotated[str, typer.Option(help="The name that others see. By default: your account's.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the links as JSON.")] = False,
    local: LocalOption = False,
) -> None:
    """
    Open a table for people, and print a link for each person's chair; the first one is yours.

    Anyone who has a link may take that chair, with any browser. The match begins when all people have come. The
    house bots are random, cautious, counting, sampling, exact and tree. To play in a terminal: pigpen play human

    Examples:
        pigpen table hearts

        pigpen table gongzhu-partners --chairs person,counting,person,counting --name Ada

        pigpen table ./my-rules.toml --seconds 60 --practice

        pigpen table hearts --today

        pigpen table --board 17/3/1/0
    """
    from ladder.people.boards.any_ladder_tables import open_at

    seated = [word.strip() for word in chairs.split(",")] if chairs else []
    form = "game" if deals is None else f"deals:{deals}"
    purpose = TablePurpose.TODAY if today else TablePurpose.BOARD if board else TablePurpose.FREE
    order = ordered_table(
        variant, seated, shown=name, format=form, seconds=seconds, pace=pace, practice=practice, purpose=purpose,
        board=board,
    )  # fmt: skip
    with asked(local) as ladder:
        opened = open_at(ladder, order)
    if as_json:
        print_json(opened)
        return
    own, *others = opened.links.values()
    typer.echo(sanitize(f"Your chair: {own}"))
    for link in others:
        typer.echo(sanitize(f"For another person: {link}"))
