"""`pigpen verify`: does a record hold?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ladder.cli.records import record_of
from ladder.cli.sanitize import harmless, json_line
from referee.replay.verify import Verified, verify


def verify_records(
    records: Annotated[
        list[Path], typer.Argument(metavar="RECORD", help="Records, packed or not; or numbers of the ladder's matches.")
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print each finding as JSON, one line for each record.")
    ] = False,
) -> None:
    """
    Check whether records hold: deal again from the seed, play every action again, count again.

    The exit code is 1 if one does not hold; the first line that differs is named. The record of a match that is not
    finished does not tell its seed yet: then everything but the cards is checked.

    Examples:
        pigpen verify match.jsonl
    """
    all_hold = True
    for path in map(record_of, records):
        finding = verify(path)
        typer.echo(json_line(_plain(path, finding)) if as_json else harmless(_sentence(path, finding)))
        all_hold &= finding.holds
    if not all_hold:
        raise typer.Exit(1)


def _sentence(path: Path, finding: Verified) -> str:
    if not finding.holds or finding.match is None:
        return f"{path} does not hold: line {finding.line}: {finding.difference}."
    match = finding.match
    what = f"{match.format} of {match.rules['name']} by {', '.join(match.bots)}"
    deals = f"{finding.deals} deal{'s' * (finding.deals != 1)}"
    if finding.finished:
        return f"{path} holds: {what}, {deals}."
    return f"{path} is not finished; it holds so far, as can be said without its seed: {what}, {deals}."


def _plain(path: Path, finding: Verified) -> dict[str, object]:
    match = finding.match
    return {
        "record": str(path),
        "holds": finding.holds,
        "finished": finding.finished,
        "line": finding.line,
        "difference": finding.difference,
        "rules": match and match.rules["name"],
        "format": match and match.format,
        "bots": match and match.bots,
        "deals": finding.deals,
    }
