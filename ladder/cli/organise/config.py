"""`pigpen config`: every setting, its value, and where that comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import tomli_w
import typer

from ladder.settings.file import FILE
from ladder.terminal.json_output import print_json
from ladder.terminal.ladder import the_settings
from ladder.terminal.sanitize import sanitize, toml_text

if TYPE_CHECKING:
    from ladder.values.settings import SettingRow


def config(
    as_json: Annotated[bool, typer.Option("--json", help="Print the settings as JSON.")] = False,
) -> None:
    """
    Show the ladder's settings: from pigpen.toml in this folder, and from the environment, which takes precedence.

    You can save the output as a pigpen.toml; settings that are not set are comments in it.

    Examples:
        pigpen config

        PIGPEN_DATA_DIR=/srv/ladder pigpen config --json
    """
    from ladder.app.config import config as read

    found = read(the_settings())
    if as_json:
        print_json(found)
        return
    for row in found:
        typer.echo(sanitize("\n".join(_lines(row)), spared="\n"))


def _lines(row: SettingRow) -> list[str]:
    set_by = {"default": "", "file": f"  # by {FILE}", "environment": f"  # by PIGPEN_{row.name.upper()}"}[row.source]
    line = toml_text(tomli_w.dumps({row.name: row.value}).strip()) + set_by
    return ["", f"# {row.meaning}", f"# {line}" if row.source == "default" else line]
