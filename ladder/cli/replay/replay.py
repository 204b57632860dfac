"""`pigpen replay`: look at a recorded match, card by card."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ladder.errors import UserError
from ladder.terminal.ladder import BoardOption, DealOption, LocalOption, RotationOption, source_of
from ladder.terminal.sanitize import folded, sanitize

if TYPE_CHECKING:
    from ladder.app.local.why import Source


def replay(
    record: Annotated[
        Path,
        typer.Argument(
            help="The record of a match, finished or not; the number of a match of the ladder; or - for stdin."
        ),
    ],
    deal: DealOption = None,
    board: BoardOption = None,
    rotation: RotationOption = None,
    seen_by: Annotated[
        str | None, typer.Option("--as", metavar="BOT", help="Show only what this bot knew. Give its name or number.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="Write the record and the replayer to this HTML file, which any browser shows.")
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Print text, as without a terminal.")] = False,
    local: LocalOption = False,
) -> None:
    """
    Show a recorded match: on a terminal card by card with the arrow keys, otherwise as text.

    On a terminal, --deal, --board and --rotation say where to begin.

    Examples:
        pigpen replay match.jsonl

        pigpen replay match.jsonl --board 3 --rotation 2 --as mybot

        pigpen replay match.jsonl --deal 3 --plain

        pigpen replay match.jsonl --html match.html

        pigpen replay 17
    """
    # What reads records takes long to import.
    from ladder.app.local.why import ANYWHERE, Where, bot_in, deals_in, read_match, understanding
    from ladder.cli.replay.replay_text import match_text
    from referee.replay.deal_replay import Cursor

    source = source_of(record, local)
    recorded = read_match(source)
    if html:
        if seen_by is not None or plain or Where(deal, board, rotation) != ANYWHERE:
            raise UserError("--html writes the whole record: leave out --deal, --board, --rotation, --as and --plain.")
        _write_page(source, html)
        return
    bot = None if seen_by is None else bot_in(recorded, seen_by, source)
    lines = deals_in(recorded, source, Where(deal, board, rotation))
    console = Console(highlight=False)
    with understanding(source):
        if plain or console.is_dumb_terminal or not (console.is_terminal and sys.stdin.isatty()):
            for text in match_text(recorded, lines, bot):
                typer.echo(folded(text, console.encoding))
        else:
            from ladder.cli.replay.replay_viewer import ReplayViewer  # there are no such terminals on Windows

            cursor = Cursor(recorded, recorded.deals.index(lines[0]))
            ReplayViewer(cursor, console, bot, partial(read_match, source)).run(sys.stdin.fileno())


def _write_page(source: Source, target: Path) -> None:
    from ladder.site.rendering.replay_page import replay_page  # needs the packages of the site

    page = replay_page(source.path)
    try:
        with open(target, "x", encoding="utf-8") as file:
            file.write(page)
    except FileExistsError:
        raise UserError(f"{str(target)!r} is there already. Name another file; nothing was changed.") from None
    except OSError as error:
        raise UserError(f"{str(target)!r} cannot be written: {error.strerror}.") from None
    typer.echo(f"Written: {sanitize(str(target))}")
