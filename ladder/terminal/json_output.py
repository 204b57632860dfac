"""Values as `--json` prints them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.terminal.sanitize import json_line, print_utf8

if TYPE_CHECKING:
    from pydantic import BaseModel

JsonOption = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]


def print_json(found: BaseModel | Sequence[BaseModel]) -> None:
    """Print a value, or a list of values, in one line."""
    if isinstance(found, Sequence):
        print_utf8(json_line([each.model_dump(mode="json") for each in found]))
    else:
        print_utf8(json_line(found.model_dump(mode="json")))
