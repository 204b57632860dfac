"""`pigpen config`: every setting, its value, and where that comes from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ladder.cli.harmless import harmless
from ladder.cli.ladder import the_settings

if TYPE_CHECKING:
    from ladder.settings import Settings


def config(
    as_json: Annotated[bool, typer.Option("--json", help="Print the settings as JSON.")] = False,
) -> None:
    """
    Show the ladder's settings: from pigpen.toml in this folder, and from the environment, which goes first.

    Examples:
        pigpen config

        PIGPEN_DATA_DIR=/srv/ladder pigpen config --json
    """
    found = _rows(the_settings())
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False))
        return
    table = Table(title="Settings", title_justify="left")
    for heading in ("name", "value", "from", "meaning"):
        table.add_column(heading, no_wrap=heading in ("name", "from"), overflow="fold")
    for row in found:
        table.add_row(*(escape(harmless(str(row[key]))) for key in ("name", "value", "from", "meaning")))
    Console().print(table)


def _rows(settings: Settings) -> list[dict[str, object]]:
    from ladder.settings import Settings, source_of

    return [
        {
            "name": name,
            "value": _shown(settings, name),
            "from": source_of(name),
            "meaning": field.description,
        }
        for name, field in Settings.model_fields.items()
    ]


def _shown(settings: Settings, name: str) -> object:
    if name == "database_url":
        return settings.url.render_as_string(hide_password=True)
    value = getattr(settings, name)
    return value if isinstance(value, int | float) else str(value)
