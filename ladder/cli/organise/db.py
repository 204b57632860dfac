"""
`pigpen db` and `pigpen config`: the ladder's database and settings, for its organiser.

`pigpen config` shows every setting, its value, and where that comes from.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tomli_w
import typer

from ladder.settings.settings_file import FILE
from ladder.terminal.json_output import print_json
from ladder.terminal.ladder import opened, the_settings
from ladder.terminal.progress_bar import progress
from ladder.terminal.sanitize import json_line, print_utf8, sanitize, toml_text

if TYPE_CHECKING:
    from ladder.values.reports import DatabaseCopy, SettingRow, Upgrade


def config(
    as_json: Annotated[bool, typer.Option("--json", help="Print the settings as JSON.")] = False,
) -> None:
    """
    Show the ladder's settings: from pigpen.toml in this folder, and from the environment, which takes precedence.

    You can save the output as a pigpen.toml; settings that are not set are comments in it. So are secrets, which are
    not shown: put them back in the file.

    Examples:
        pigpen config

        PIGPEN_DATA_DIR=/srv/ladder pigpen config --json
    """
    from ladder.app.config import config as read
    from ladder.app.config import hidden

    settings = the_settings()
    found = read(settings)
    if as_json:
        print_json(found)
        return
    secrets = hidden(settings)
    print_utf8(toml_text("\n".join(line for row in found for line in _lines(row, row.name in secrets))))


def _lines(row: SettingRow, is_secret: bool) -> list[str]:
    set_by = {"default": "", "file": f"  # by {FILE}", "environment": f"  # by PIGPEN_{row.name.upper()}"}[row.source]
    line = tomli_w.dumps({row.name: row.value}).strip() + set_by
    if is_secret:
        line += "; the secret in it is not shown: put it back in the file"
    return ["", f"# {row.meaning}", f"# {line}" if is_secret or row.source == "default" else line]


db = typer.Typer(
    name="db",
    help="Upgrade, check, back up or move the ladder's database.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
JsonOption = Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")]
RecordsOption = Annotated[bool, typer.Option("--records", help="Compute all ratings again from the records.")]


@db.command()
def upgrade(as_json: JsonOption = False) -> None:
    """
    Upgrade the database to the schema of this version of Pigpen; create it if there is none.

    First stop all processes of the ladder. A SQLite file is copied beside the old one first.

    Examples:
        pigpen db upgrade
    """
    from ladder.app import database_maintenance

    done = database_maintenance.upgrade(the_settings())
    if as_json:
        print_json(done)
    else:
        _say_upgraded(done)


def _say_upgraded(done: Upgrade) -> None:
    if done.backup:
        typer.echo(sanitize(f"The database as it was: {done.backup}"))
    if done.before == done.after:
        typer.echo(sanitize(f"The schema is {done.after} already; nothing changed."))
    elif done.before:
        typer.echo(sanitize(f"The schema was {done.before} and is {done.after} now."))
    else:
        typer.echo(sanitize(f"A new ladder, schema {done.after}."))


@db.command()
def check(
    records: RecordsOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """
    Check that the database is consistent and agrees with the records on disk; nothing is changed.

    The exit code is 1 if something is found; each finding is a line.

    Examples:
        pigpen db check

        pigpen db check --records
    """
    from ladder.app.database_maintenance import check_database

    found = []
    with opened() as ladder:
        for sentence in check_database(ladder, records):
            found.append(sentence)
            if not as_json:
                typer.echo(sanitize(sentence))
    if as_json:
        print_utf8(json_line(found))
    elif not found:
        typer.echo("Everything agrees.")
    raise typer.Exit(1 if found else 0)


@db.command()
def backup(
    file: Annotated[Path, typer.Argument(help="A file that does not exist yet.", dir_okay=False)],
    as_json: JsonOption = False,
) -> None:
    """
    Copy the database to a file, as it is at one moment; the ladder may run meanwhile.

    To restore SQLite: stop the ladder, remove ladder.db-wal and ladder.db-shm, and copy the file to ladder.db.
    For PostgreSQL the file is an archive for pg_restore. Copy the records in the data folder separately.

    Examples:
        pigpen db backup ladder-monday.db
    """
    from ladder.app import database_maintenance

    with opened(any_schema=True) as ladder:  # before an upgrade it is an older one
        done = database_maintenance.backup(ladder, file)
    if as_json:
        print_json(done)
    else:
        typer.echo(sanitize(f"{done.file}: {done.size:,} bytes"))


@db.command()
def copy(
    to_url: Annotated[str, typer.Argument(help="URL of an empty database, as in the setting database_url.")],
    as_json: JsonOption = False,
) -> None:
    """
    Copy the ladder into another database: from SQLite to PostgreSQL, or back.

    First stop all processes of the ladder. The other database gets everything or nothing, and is compared with
    this one, which does not change. Records and folders stay where they are, in the data folder.

    Examples:
        pigpen db copy postgresql://pigpen@localhost/ladder

        pigpen db copy sqlite:////var/lib/pigpen/ladder.db
    """
    from ladder.app import database_maintenance

    with opened() as ladder, progress("tables copied", None) as advance:
        done = database_maintenance.copy(ladder, to_url, advance)
    if as_json:
        print_json(done)
    else:
        _say_copied(done)


def _say_copied(done: DatabaseCopy) -> None:
    for table in done.tables:
        typer.echo(sanitize(f"{table.rows:>12,}  {table.name}"))
    rows = sum(table.rows for table in done.tables)
    typer.echo(
        sanitize(f"{rows:>12,}  rows in all (schema {done.schema_revision}), read again and found equal: {done.digest}")
    )
    url = done.target.replace("+psycopg", "", 1)
    typer.echo(sanitize(f"{_where_it_is_set()} Before you start the ladder again, set it to: {url}"))


def _where_it_is_set() -> str:
    from ladder.settings.settings import source_of

    if source_of("database_url") == "environment":
        return "The environment variable PIGPEN_DATABASE_URL names the ladder's database."
    return "The setting database_url in pigpen.toml names the ladder's database."
