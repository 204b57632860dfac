"""`pigpen verify`: does a record hold?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.errors import UserError
from ladder.terminal.json_output import print_json
from ladder.terminal.ladder import LocalOption, is_piped, source_of
from ladder.terminal.sanitize import sanitize
from ladder.values.text import counted

if TYPE_CHECKING:
    from ladder.values.local_results import Verification


NOT_PROVED = (
    "Names of bots, clock and start follow from nothing else in a record: only a copy of its hash, as the chain of an "
    "event has it, shows that they were not changed."
)
"""Added to the sentence about a record that holds."""


def verify_records(
    records: Annotated[
        list[Path],
        typer.Argument(
            metavar="RECORD", help="Records, packed or not; numbers of the ladder's matches; or - for standard input."
        ),
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print each finding as JSON, one line for each record.")
    ] = False,
    local: LocalOption = False,
) -> None:
    """
    Check records: deal again from the seed, play every action again, and count again.

    The exit code is 1 if a record is wrong; the first line that differs is named. The record of a match that is not
    finished has no seed yet; then everything but the cards is checked.

    Examples:
        pigpen verify match.jsonl

        zcat match.jsonl.gz | pigpen verify -
    """
    from ladder.app.local.verification import verify_record
    from ladder.app.local.why import understanding

    if sum(map(is_piped, records)) > 1:
        raise UserError("Standard input holds one record: name - only once.")
    all_hold = True
    for record in records:
        source = source_of(record, local)
        with understanding(source):
            found = verify_record(source.path)
        is_match = source.path != record and not is_piped(record)
        name = source.name if is_match else str(record)
        if is_piped(record):
            found = found.model_copy(update={"record": record})
        if as_json:
            print_json(found)
        else:
            typer.echo(sanitize(_sentence(found, name)))
        all_hold &= found.holds
    if not all_hold:
        raise typer.Exit(1)


def _sentence(found: Verification, name: str) -> str:
    if not found.holds or found.bots is None:
        return f"{name} does not hold: line {found.line}: {found.difference}."
    what = f"{found.format} of {found.rules} by {', '.join(found.bots)}"
    deals = counted(found.deals, "deal")
    if found.finished:
        return f"{name} holds: {what}, {deals}. {NOT_PROVED}"
    return f"{name} is not finished; it holds so far, as far as that shows without its seed: {what}, {deals}."
