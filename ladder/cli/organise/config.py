"""`pigpen config`: every setting, its value, and where that comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import tomli_w
import typer

from ladder.settings.file import FILE
from ladder.terminal.json_output import print_json
from ladder.terminal.ladder import the_settings
from ladder.terminal.sanitize import print_utf8, toml_text

if TYPE_CHECKING:
    from ladder.values.settings import SettingRow


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
