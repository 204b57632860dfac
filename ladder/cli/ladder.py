"""What all commands of the ladder begin with: its settings, and the ladder itself."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from ladder.cli.sanitize import harmless
from ladder.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.settings.settings import Settings


def the_settings(*bots: Path) -> Settings:
    """
    The settings of this folder and environment; says so if the folder's are not read.

    Args:
        bots: Folders of bots that are named on the command line.

    Raises:
        UserError: If one makes no sense.
    """
    from ladder.settings.file import why_not_read
    from ladder.settings.settings import load_settings

    if reason := why_not_read(bots):
        typer.echo(harmless(reason), err=True)
    try:
        return load_settings(bots)
    except ValueError as error:
        raise UserError(str(error)) from None


@contextmanager
def opened(settings: Settings | None = None, create: bool = False, many_readers: bool = False) -> Iterator[Ladder]:
    """
    The ladder, closed in the end.

    Args:
        settings: Where it is; by default `the_settings`.
        create: Make it if there is none.
        many_readers: Many threads will read at once.

    Raises:
        LadderError: If there is none, or it cannot be used.
        StoreError: If its database does not answer.
    """
    from ladder.app.ladder import Ladder  # with SQLAlchemy, which takes long to load

    with Ladder.open(settings or the_settings(), create, many_readers) as ladder:
        yield ladder
