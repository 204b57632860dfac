"""`pigpen lock`: write down exactly which packages a bot gets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.options import SandboxOption
from ladder.cli.sandboxes import SandboxName, say
from ladder.cli.sanitize import harmless
from ladder.errors import UserError
from ladder.sandbox.bots.bot_source import find_bot
from ladder.sandbox.bots.content import Content
from ladder.sandbox.wheels.lock import lock_text
from ladder.sandbox.wheels.packages import Asked, Packages
from ladder.sandbox.wheels.requirements import LOCK, REQUIREMENTS
from ladder.sandbox.wheels.target import this_interpreter

if TYPE_CHECKING:
    from ladder.sandbox.wheels.target import Target


def lock(
    folder: Annotated[str, typer.Argument(help="The bot's folder.")], sandbox: SandboxOption = SandboxName.DOCKER
) -> None:
    """
    Look for the packages of a bot's requirements.txt anew, and write a requirements.lock beside it.

    With that file, the bot gets the same wheels everywhere and always. Without it, a machine takes the newest
    versions that fit when it first sees the bot, and keeps to them.

    Examples:
        pigpen lock ./mybot
    """
    source = find_bot(folder)
    if source.folder is None:
        raise UserError(f"{folder!r} is an image, and its packages are in it. Name a folder.")
    asked = Asked(Content.read(source.folder).file(REQUIREMENTS))
    if not asked.anything:
        raise UserError(f"There is no {REQUIREMENTS} in {folder!r} that names a package. Nothing was written.")
    packages = Packages(report=say)
    target = _target(packages) if sandbox is SandboxName.DOCKER else this_interpreter()
    pins = packages.pins(asked, target, anew=True)
    path = source.folder / LOCK
    try:
        path.write_text(lock_text(pins), encoding="utf-8")
    except OSError as error:
        raise UserError(f"{str(path)!r} cannot be written: {error.strerror}.") from error
    found = ", ".join(pin.label for pin in pins) or "the SDK has all of it"
    typer.echo(harmless(f"Wrote {path} for {target}: {found}."))


def _target(packages: Packages) -> Target:
    from ladder.sandbox.docker.base_image import base_image_id, ensure_base_image
    from ladder.sandbox.docker.engine import connect, engine_errors  # the Docker library takes long to import
    from ladder.sandbox.docker.package_images import target_of

    client = connect()
    try:
        content = ensure_base_image(client, say)
        with engine_errors("look at the bot base image"):
            return target_of(client, packages, base_image_id(client, content))
    finally:
        client.close()
