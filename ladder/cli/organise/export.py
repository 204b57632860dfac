"""`pigpen ladder export`: the data set of the ladder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import opened
from ladder.terminal.sanitize import sanitize


def export_dataset(
    folder: Annotated[
        Path | None,
        typer.Argument(
            help="A new folder, or one that this command has written. By default the one that the site offers."
        ),
    ] = None,
    licence: Annotated[
        str | None, typer.Option(help="Under which the data may be used, such as CC-BY-4.0. By default: as before.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """
    Write all public matches of the ladder as one data set of Parquet files: matches, seats, deals, decisions, versions.

    Into a folder that is there, only what it lacks is written; each file is compared with the last manifest before,
    and one that is missing or damaged is written again, or named. What bots printed is no part of it. docs/dataset.md
    explains each column. Without a folder, the data set is offered by the site at /data.

    Examples:
        pigpen ladder export --licence CC-BY-4.0
        pigpen ladder export dataset
    """
    with opened() as ladder:
        from ladder.app.dataset.exporting import export_dataset as export  # needs the extra `data`, too
        from ladder.app.dataset.offered import FOLDER

        folder = folder or ladder.settings.data_dir / FOLDER
        found = export(ladder, folder, licence, lambda sentence: typer.echo(sanitize(sentence), err=True))
    if as_json:
        print_json(found)
        return
    size = sum(each.bytes for each in found.files)
    counted = ", ".join(f"{count:,} {table}" for table, count in found.rows.items())
    typer.echo(sanitize(f"{folder}: {counted} ({size:,} bytes)"))
