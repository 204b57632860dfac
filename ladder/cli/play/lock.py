"""`pigpen lock`: write down exactly which packages a bot gets."""

from __future__ import annotations

from typing import Annotated

import typer

from ladder.terminal.options import SandboxOption
from ladder.terminal.sandboxes import say
from ladder.terminal.sanitize import sanitize
from ladder.values.sandbox_kind import SandboxKind


def lock(
    folder: Annotated[str, typer.Argument(help="The bot's folder.")], sandbox: SandboxOption = SandboxKind.DOCKER
) -> None:
    """
    Resolve the packages of a bot's requirements.txt again, and write a requirements.lock beside it.

    With that file, every machine installs the same wheels. Without it, a machine takes the newest versions that fit
    when it first sees the bot, and keeps them.

    Examples:
        pigpen lock ./mybot
    """
    from ladder.app.local import folder as folders

    done = folders.lock(folder, sandbox, say)
    found = ", ".join(done.packages) or "the SDK brings all of them"
    typer.echo(sanitize(f"Wrote {done.file} for {done.target}: {found}."))
