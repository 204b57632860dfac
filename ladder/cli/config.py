"""`pigpen config`: every setting, its value, and where that comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import tomli_w
import typer

from ladder.cli.ladder import the_settings
from ladder.cli.sanitize import harmless, json_line, toml_text

if TYPE_CHECKING:
    from ladder.settings.settings import Settings


def config(
    as_json: Annotated[bool, typer.Option("--json", help="Print the settings as JSON.")] = False,
) -> None:
    """
    Show the ladder's settings: from pigpen.toml in this folder, and from the environment, which goes first.

    What is printed can be the beginning of a pigpen.toml; a setting that nobody has set stands there as a remark.

    Examples:
        pigpen config

        PIGPEN_DATA_DIR=/srv/ladder pigpen config --json
    """
    found = _rows(the_settings())
    if as_json:
        typer.echo(json_line(found))
        return
    for row in found:
        typer.echo(harmless("\n".join(_lines(**row)), spared="\n"))


def _rows(settings: Settings) -> list[dict[str, Any]]:
    from ladder.settings.settings import Settings, source_of

    return [
        {"name": name, "value": _shown(settings, name), "source": source_of(name), "meaning": field.description}
        for name, field in Settings.model_fields.items()
    ]


def _lines(name: str, value: object, source: str, meaning: str) -> list[str]:
    from ladder.settings.file import FILE

    set_by = {"default": "", "file": f"  # by {FILE}", "environment": f"  # by PIGPEN_{name.upper()}"}[source]
    line = toml_text(tomli_w.dumps({name: value}).strip()) + set_by
    return ["", f"# {meaning}", f"# {line}" if source == "default" else line]


def _shown(settings: Settings, name: str) -> object:
    value = getattr(settings, name)
    if name == "database_url" and value:
        return settings.url.render_as_string(hide_password=True)
    return value if isinstance(value, int | float) else str(value)
