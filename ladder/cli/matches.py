"""`pigpen matches`: what is played, and what has been."""

from __future__ import annotations

import enum
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ladder.cli.ladder import opened, the_settings
from ladder.cli.sanitize import json_line
from ladder.cli.standings import JsonOption, VariantOption

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ladder.store.database import Session
    from ladder.store.queries.matches import MatchRow


class StatusName(enum.StrEnum):
    """What can be asked for: the statuses of `ladder.store.models`, as people call them."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    QUARANTINED = "quarantined"


LEASED = {StatusName.RUNNING: "leased"}


def matches(
    match: Annotated[int | None, typer.Argument(help="Only this match, with all that is known of it.")] = None,
    variant: VariantOption = None,
    bot: Annotated[str | None, typer.Option(help="Only with this bot: Trotter, or its version Trotter@2.")] = None,
    status: Annotated[
        StatusName | None, typer.Option(help="Only those of one status. By default: running and done ones.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most N of each status.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """
    List matches: those that are being played, and the newest results with the places and how each rating moved.

    Of a match that is not done only the SHA-256 of its seed is shown; afterwards the seed itself must fit it.

    Examples:
        pigpen matches --bot Trotter --limit 5

        pigpen matches --status queued

        pigpen matches 17
    """
    from ladder.cli.matches_table import print_match, print_matches
    from ladder.results.files import MatchFiles
    from ladder.store import names
    from ladder.store.queries.matches import match_row

    settings = the_settings()
    with opened(settings) as database, database.read() as session:
        if match is not None:
            one = match_row(session, names.find_match(session, match))
            record = MatchFiles(settings.data_dir).record(one.id, one.attempt) if one.record_kept else None
            if as_json:
                typer.echo(json_line(asdict(one) | {"record": record and str(record)}))
            else:
                print_match(one, record, Console())
            return
        found = _read(session, variant, bot, status, limit)
    if as_json:
        typer.echo(json_line([asdict(row) for row in found]))
    else:
        print_matches(found, Console())


def _read(
    session: Session, variant: str | None, bot: str | None, status: StatusName | None, limit: int
) -> Sequence[MatchRow]:
    from ladder.store import names
    from ladder.store.models import Status
    from ladder.store.queries.matches import results, unfinished

    if variant is not None:
        names.find_variant(session, variant)
    versions = None if bot is None else _versions(session, bot)
    found: list[MatchRow] = []
    for wanted in [StatusName.RUNNING, StatusName.DONE] if status is None else [status]:
        if wanted is StatusName.DONE:
            found += results(session, limit, variant, versions)
        else:
            found += unfinished(session, Status(LEASED.get(wanted, wanted)), limit, variant, versions)
    return found


def _versions(session: Session, word: str) -> Iterable[int]:
    """All versions of a bot, or the one that is named."""
    from ladder.store import names

    named = names.find_version(session, word)
    if "@" in word:
        return [named.id]
    return [version.id for version in names.versions_of(session, names.find_bot(session, word))]
