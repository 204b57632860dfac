"""Common start of the commands of the ladder: its settings, and the ladder itself."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.app.remote.login import NOT_LOGGED_IN, read_login
from ladder.errors import LadderError, NoLadder, UserError
from ladder.settings.file import why_not_read
from ladder.terminal.sanitize import sanitize

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.app.either.local_ladder import LocalLadder
    from ladder.app.ladder import Ladder
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
def opened(settings: Settings | None = None, create: bool = False, many_readers: bool = False) -> Iterator[Ladder]:
    """
    Yield the ladder, closed in the end.

    Args:
        settings: Where it is; by default `the_settings`.
        create: Make it if there is none.
        many_readers: Many threads will read at once.

    Raises:
        LadderError: If there is none, or it cannot be used.
        StoreError: If its database does not answer.
    """
    from ladder.app.ladder import Ladder  # with SQLAlchemy, which takes long to load

    with ExitStack() as stack:
        try:
            ladder = stack.enter_context(Ladder.open(settings or the_settings(), create, many_readers))
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
