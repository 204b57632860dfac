"""`pigpen push`: push an image to the registry of a remote ladder."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ladder.app.remote.login import NOT_LOGGED_IN, read_login
from ladder.errors import UserError
from ladder.terminal.sanitize import in_markup, sanitize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


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
    from ladder.app.remote.pushing import push_image

    login = read_login()
    if login is None:
        raise UserError(NOT_LOGGED_IN)
    with Connection(login.address, login.token) as connection, pushing(image) as tell:
        there = push_image(connection, login, image, name, tell)
    typer.echo(sanitize(there))


@contextmanager
def pushing(image: str) -> Iterator[Callable[[str], None]]:
    """Show in a line of a terminal how much of an image has been pushed; outside a terminal show nothing."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda words: None
        return
    with console.status(in_markup(f"Pushing {image}")) as status:
        yield lambda words: status.update(in_markup(words))
