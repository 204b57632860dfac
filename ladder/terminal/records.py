"""Records as arguments of commands."""

from __future__ import annotations

import atexit
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.errors import UserError
from ladder.terminal.ladder import asked
from referee.records.framing import MAX_BYTES, RecordTooLarge

if TYPE_CHECKING:
    from ladder.app.local.reading import Source


def _counted(option: typer.CallbackParam, number: int | None) -> int | None:
    """Refuse numbers below 1."""
    if number is not None and number < 1:
        raise UserError(f"There is no {option.name} {number}: deals, boards and rotations are counted from 1.")
    return number


DealOption = Annotated[int | None, typer.Option(callback=_counted, help="Only deal N, counted from 1.")]
BoardOption = Annotated[int | None, typer.Option(callback=_counted, help="Only board N, counted from 1.")]
RotationOption = Annotated[
    int | None, typer.Option(callback=_counted, help="Only rotation N of each board, counted from 1.")
]
_PIECE = 1024**2


def record_of(named: Path, local: bool = False) -> Path:
    """
    Find the record that is meant: a file, or a match of the ladder by its number if there is no such file; or what
    comes on standard input.

    Args:
        named: What the user typed.
        local: This machine's ladder in any case.

    Raises:
        UserError: If that match has no record, or none any more; or if standard input is closed.
        LadderError: If there is no such match, or no ladder.
    """
    if is_piped(named):
        return _piped()
    if os.path.exists(named) or not re.fullmatch(r"[0-9]{1,10}", str(named)):
        return named
    with asked(local) as ladder:
        return ladder.record_of(int(str(named)))


def is_piped(named: Path) -> bool:
    """Tell whether the record on standard input is meant."""
    return str(named) == "-"


def _piped() -> Path:
    """Copy what comes on standard input, for as long as the command runs: some commands read it more than once."""
    if sys.__stdin__ is None:
        raise UserError("Standard input is closed: name a file, or pipe a record into the command.")
    number, name = tempfile.mkstemp(prefix="pigpen-record-")
    atexit.register(os.unlink, name)
    with open(number, "wb") as copy:
        while piece := sys.stdin.buffer.read(_PIECE):
            if copy.tell() > MAX_BYTES:
                raise RecordTooLarge(f"Standard input holds more than the {MAX_BYTES:,} bytes of a record.")
            copy.write(piece)
    return Path(name)


def source_of(named: Path, local: bool) -> Source:
    """Find the record that is meant, and how messages and commands call it; the arguments are those of `record_of`."""
    from ladder.app.local.reading import Source

    path = record_of(named, local)
    if is_piped(named):
        return Source.piped(path)
    return Source.of(path, "" if path == named else str(named))
