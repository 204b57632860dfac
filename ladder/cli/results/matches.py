"""`pigpen matches`: what is played, and what has been."""

from __future__ import annotations

import enum
from typing import Annotated

import typer
from rich.console import Console

from ladder.cli.results.explain import match_number
from ladder.cli.results.matches_table import print_match, print_matches
from ladder.cli.results.standings import VariantOption
from ladder.errors import UserError
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import LocalOption, asked


class StatusName(enum.StrEnum):
    """Filters of matches by status: the names of `ladder.app.matches.MatchStatus`."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    QUARANTINED = "quarantined"


def matches(
    context: typer.Context,
    match: Annotated[
        int | None, typer.Argument(parser=match_number, help="Only this match, with all that is known about it.")
    ] = None,
    variant: VariantOption = None,
    bot: Annotated[
        str | None, typer.Option(help="Only matches with this bot: Trotter, or its version Trotter@2.")
    ] = None,
    status: Annotated[
        StatusName | None, typer.Option(help="Only those of one status. By default: running and done ones.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most N of each status.")] = 20,
    as_json: JsonOption = False,
    local: LocalOption = False,
) -> None:
    """
    List matches: those that are being played, and the newest results with places and rating changes.

    The seed of a match is shown when the match is done; before that, only its SHA-256. If matches wait and no runner
    plays them, a message on stderr says so.

    Examples:
        pigpen matches --bot Trotter --limit 5

        pigpen matches --status queued

        pigpen matches 17
    """
    if match is not None:
        _leave_out_the_search(context)
    with asked(local) as ladder:
        if match is not None:
            one = ladder.match(match)
            if as_json:
                print_json(one)
            else:
                print_match(one, Console())
            return
        statuses = [StatusName.RUNNING, StatusName.DONE] if status is None else [status]
        found = ladder.matches(variant, bot, statuses, limit)
        why_nothing_plays = ladder.why_nothing_plays()
    if why_nothing_plays:
        typer.secho(why_nothing_plays, err=True, fg=typer.colors.YELLOW)
    if as_json:
        print_json(found)
    else:
        print_matches(found, Console())


def _leave_out_the_search(context: typer.Context) -> None:
    """Refuse the options that choose matches of a list."""
    for name in ("variant", "bot", "status", "limit"):
        source = context.get_parameter_source(name)
        if source and source.name != "DEFAULT":
            raise UserError(f"A match and --{name} exclude each other: leave one out.")
