"""Commands that write what a ladder is hosted with: units of systemd."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ladder.terminal.options import say
from ladder.terminal.sanitize import sanitize

FolderArgument = Annotated[Path, typer.Argument(help="Where; it is made if it is not there.")]


def write_units(folder: FolderArgument = Path("units")) -> None:
    """
    Write units of systemd: one that runs all of a ladder, and four that run its processes as a user without rights.

    They start the pigpen that writes them. docs/deploy.md says what they need, and which to start.

    Examples:
        pigpen ladder units /etc/systemd/system
    """
    from ladder.app.hosting.units import UNITS, is_hidden, own_program
    from ladder.app.hosting.units import write_units as write

    program = own_program()
    for path in write(folder, program):
        typer.echo(sanitize(f"{path}: {UNITS[path.name].about.removeprefix('Pigpen: ')}"))
    if is_hidden(program):
        say(f"Units do not see {program}, because they see no home folders. Install Pigpen in /opt, for example.")
