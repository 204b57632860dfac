"""
The ladder that a command works on, and its records.

It is the common start of the commands of the ladder: its settings, the ladder itself, and records as arguments.
"""

from __future__ import annotations

import atexit
import os
import re
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.app.remote.login import NOT_LOGGED_IN, read_login
from ladder.errors import LadderError, NoLadder, UserError
from ladder.settings.settings_file import why_not_read
from ladder.terminal.sanitize import sanitize
from referee.records.framing import MAX_BYTES, RecordTooLarge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.app.either.local_ladder import LocalLadder
    from ladder.app.ladder import Ladder
    from ladder.app.local.why import Source
    from ladder.app.remote.remote_ladder import RemoteLadder
    from ladder.settings.settings import Settings

LocalOption = Annotated[
    bool, typer.Option("--local", help="Use the ladder on this machine, even if you are logged in to a remote one.")
]


def the_settings(*bots: Path) -> Settings:
    """
    Read the settings of this folder and environment; say so if the folder's are not read.

    Args:
        bots: Folders of bots that are named on the command line.

    Raises:
        UserError: If one makes no sense.
    """
    from ladder.settings.settings import load_settings

    if reason := why_not_read(bots):
        typer.echo(sanitize(reason), err=True)
    try:
        return load_settings(bots)
    except ValueError as error:
        raise UserError(str(error)) from None


@contextmanager
def opened(
    settings: Settings | None = None, create: bool = False, many_readers: bool = False, any_schema: bool = False
) -> Iterator[Ladder]:
    """
    Yield the ladder, closed in the end.

    Args:
        settings: Where it is; by default `the_settings`.
        create: Make it if there is none.
        many_readers: Many threads will read at once.
        any_schema: Open a ladder of another Pigpen, too: for a copy of all that is there.

    Raises:
        LadderError: If there is none, or it cannot be used.
        StoreError: If its database does not answer.
    """
    settings = settings or the_settings()
    with ExitStack() as stack:
        try:
            if not create and find_spec("sqlalchemy"):  # else it must be installed first, which the import below says
                settings.check_file()
            from ladder.app.ladder import Ladder  # with SQLAlchemy, which takes long to load

            ladder = stack.enter_context(Ladder.open(settings, create, many_readers, any_schema))
        except NoLadder as error:
            raise LadderError(f"{error}{local_word()}") from None
        yield ladder


def local_word() -> str:
    """Give what a command to be typed needs at its end to mean this machine's ladder: nothing, or ``--local``."""
    return " --local" if read_login() is not None else ""


@contextmanager
def asked(local: bool) -> Iterator[LocalLadder | RemoteLadder]:
    """
    Open the ladder that a command asks: the remote one to which this user has logged in, else this machine's.

    Args:
        local: This machine's in any case.

    Raises:
        LadderError: If there is none, or it cannot be used.
        StoreError: If its database does not answer.
        UserError: If the log-in cannot be read.
    """
    login = None if local else read_login()
    if login is None:
        if not local:
            need_login_or_packages()
        with opened() as ladder:
            from ladder.app.either.local_ladder import LocalLadder

            yield LocalLadder(ladder)
        return
    from ladder.app.remote.connection import Connection
    from ladder.app.remote.remote_ladder import RemoteLadder

    with Connection(login.address, login.token) as connection:
        yield RemoteLadder(connection)


def need_login_or_packages() -> None:
    """
    Make sure that a user who has not logged in can have a ladder on this machine.

    Raises:
        UserError: If the packages for one are not installed, as contestants need none of them.
    """
    if find_spec("sqlalchemy") is None:
        raise UserError(NOT_LOGGED_IN)


def only_here(command: str, local: bool) -> None:
    """
    Make sure that this machine's ladder is meant, for a command that works on no other.

    Raises:
        UserError: If this user has logged in to a remote ladder, and --local is not given.
    """
    if not local and (login := read_login()) is not None:
        raise UserError(
            f"pigpen {command} works only on this machine's ladder, but you are logged in to {login.address}. "
            f"Organisers of that ladder use the page {login.address}/admin. For the ladder on this machine add --local."
        )


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
    from ladder.app.local.why import Source

    path = record_of(named, local)
    if is_piped(named):
        return Source.piped(path)
    return Source.of(path, "" if path == named else str(named))
