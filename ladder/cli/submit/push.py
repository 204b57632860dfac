"""`pigpen push`: puts an image into the registry of a remote ladder."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ladder.cli.shared.sanitize import in_markup, sanitize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ladder.app.remote.connection import Connection
    from ladder.app.remote.login import Login


def push(
    image: Annotated[str, typer.Argument(help="An image of this machine's Docker engine.")],
    name: Annotated[
        str | None,
        typer.Option(help="Its name in the registry, with or without a tag: trotter:2. By default: its name here."),
    ] = None,
) -> None:
    """
    Push an image to the registry of the ladder to which you have logged in, and print its name there.

    pigpen submit does the same before it submits an image of this machine. Neither needs docker login.

    Examples:
        pigpen push mybot:latest

        pigpen push mybot:latest --name trotter:2
    """
    from ladder.app.remote.connection import Connection
    from ladder.app.remote.login import read_login
    from ladder.cli.accounts.login import NOWHERE
    from ladder.errors import UserError

    login = read_login()
    if login is None:
        raise UserError(NOWHERE)
    with Connection(login.address, login.token) as connection:
        typer.echo(sanitize(pushed(connection, login, image, name)))


def pushed(connection: Connection, login: Login, image: str, name: str | None = None) -> str:
    """Push an image and show how far it has come; gives its name there by digest."""
    from ladder.app.remote.pushing import push_image

    with _shown(image) as tell:
        return push_image(connection, login, image, name, tell)


@contextmanager
def _shown(image: str) -> Iterator[Callable[[str], None]]:
    """Show the progress in a line of the terminal; without a terminal show nothing."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda words: None
        return
    with console.status(in_markup(f"Pushing {image}")) as status:
        yield lambda words: status.update(in_markup(words))
