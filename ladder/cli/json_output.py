"""Values as `--json` prints them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from ladder.cli.sanitize import json_line

if TYPE_CHECKING:
    from pydantic import BaseModel


def print_json(found: BaseModel | Sequence[BaseModel]) -> None:
    """Print a value, or a list of values, in one line."""
    if isinstance(found, Sequence):
        typer.echo(json_line([each.model_dump(mode="json") for each in found]))
    else:
        typer.echo(json_line(found.model_dump(mode="json")))
