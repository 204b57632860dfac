"""Records as arguments of commands."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pathlib import Path

    from ladder.app.local.reading import Source

DealOption = Annotated[int | None, typer.Option(min=0, help="Only deal N, counted from 0.")]
BoardOption = Annotated[int | None, typer.Option(min=0, help="Only board N, counted from 0.")]
RotationOption = Annotated[int | None, typer.Option(min=0, help="Only rotation N of the boards, counted from 0.")]


def record_of(named: Path, local: bool = False) -> Path:
    """
    Find the record that is meant: a file, or a match of the ladder by its number if there is no such file.

    Args:
        named: What somebody typed.
        local: This machine's ladder in any case.

    Raises:
        UserError: If that match has no record, or none any more.
        LadderError: If there is no such match, or no ladder.
    """
    if os.path.exists(named) or not re.fullmatch(r"[0-9]{1,10}", str(named)):
        return named
    from ladder.cli.ladder import asked

    with asked(local) as ladder:
        return ladder.record_of(int(str(named)))


def source_of(named: Path, local: bool) -> Source:
    """Find the record that is meant, and how messages and commands call it; the arguments are those of `record_of`."""
    from ladder.app.local.reading import Source

    path = record_of(named, local)
    return Source.of(path, "" if path == named else str(named))
