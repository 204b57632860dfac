"""`pigpen logs`: what a bot printed in a match of the ladder."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from ladder.cli.explain import MatchArgument
from ladder.cli.ladder import opened, the_settings
from ladder.cli.ladder_words import label
from ladder.cli.sanitize import json_line
from ladder.cli.standings import JsonOption
from ladder.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ladder.results.files import Logs
    from ladder.settings.settings import Settings
    from ladder.store.queries.faults import FaultShown
    from ladder.store.queries.matches import MatchRow, SeatRow


def logs(
    match: MatchArgument,
    seat: Annotated[str, typer.Argument(metavar="SEAT", help="The bot's number in the match, or its name.")],
    table: Annotated[int | None, typer.Option(min=0, help="Only table N, counted from 0.")] = None,
    lines: Annotated[int, typer.Option(min=1, help="At most the last N lines of each table.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """
    Show the end of what a bot printed in a match, table by table, and its faults there.

    [12] before a line names the decision at which it was printed; ✗ marks those at which the bot was at fault.

    Examples:
        pigpen logs 17 Trotter

        pigpen logs 17 2 --table 1
    """
    from ladder.cli.logs_text import print_logs
    from ladder.store import names
    from ladder.store.queries.faults import faults_of
    from ladder.store.queries.matches import match_row

    settings = the_settings()
    with opened(settings) as database, database.read() as session:
        row = match_row(session, names.find_match(session, match))
        seats = _seats(row, seat)
        faults = faults_of(session, row.id)
    printed = _printed(settings, row)
    if table is not None and table not in printed:
        raise UserError(f"Match {match} has no table {table}; its tables are 0 to {max(printed, default=0)}.")
    chosen = {number: printed[number] for number in sorted(printed) if table in (None, number)}
    if as_json:
        typer.echo(json_line([_plain(one, chosen, faults) for one in seats]))
    else:
        for one in seats:
            print_logs(row.id, one, chosen, faults, lines, Console())


def _plain(seat: SeatRow, logs: Logs, faults: Iterable[FaultShown]) -> dict[str, Any]:
    """Make it JSON: what one seat printed, by table."""
    tables = [
        {
            "table": table,
            "printed": tails[seat.seat],
            "faults": [asdict(fault) for fault in faults if (fault.seat, fault.table) == (seat.seat, table)],
        }
        for table, tails in logs.items()
    ]
    return {"seat": seat.seat, "bot": label(seat.bot, seat.version), "tables": tables}


def _seats(match: MatchRow, word: str) -> list[SeatRow]:
    """The seats that a number or a bot's name means; with partners a bot has two."""
    found = [seat for seat in match.seats if word in (str(seat.seat), seat.bot, f"{seat.bot}@{seat.version}")]
    if not found:
        there = ", ".join(f"{seat.seat} {label(seat.bot, seat.version)}" for seat in match.seats)
        raise UserError(f"Nobody in match {match.id} is {word!r}; its seats are: {there}.")
    return found


def _printed(settings: Settings, match: MatchRow) -> Logs:
    from ladder.results.files import MatchFiles

    if match.finished is None:
        raise UserError(f"Match {match.id} is not over yet; what its bots print is shown afterwards.")
    if not match.record_kept:
        raise UserError(
            f"What the bots of match {match.id} printed was removed with its record: the setting records keeps "
            f"the newest {settings.records} (see: pigpen config)."
        )
    files = MatchFiles(settings.data_dir)
    try:
        printed = files.read_logs(match.id, match.attempt)
        if any(len(tails) != len(match.seats) for tails in printed.values()):
            raise ValueError("it does not have one text for each bot")
        return printed
    except (OSError, ValueError) as error:
        path, why = files.logs(match.id, match.attempt), getattr(error, "strerror", None) or error
        raise UserError(
            f"What the bots of match {match.id} printed cannot be read from {str(path)!r}: {why}."
        ) from None
