"""Records as arguments of commands."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pathlib import Path

DealOption = Annotated[int | None, typer.Option(min=0, help="Only deal N, counted from 0.")]
BoardOption = Annotated[int | None, typer.Option(min=0, help="Only board N, counted from 0.")]
RotationOption = Annotated[int | None, typer.Option(min=0, help="Only rotation N of the boards, counted from 0.")]


def record_of(named: Path) -> Path:
    """
    Find the record that is meant: a file, or a match of the ladder by its number if there is no such file.

    Raises:
        UserError: If that match has no record, or none any more.
        LadderError: If there is no such match, or no ladder.
    """
    if os.path.exists(named) or not re.fullmatch(r"[0-9]{1,10}", str(named)):
        return named
    from ladder.app import matches
    from ladder.cli.ladder import opened

    with opened() as ladder:
        return matches.record_of(ladder, int(str(named)))
