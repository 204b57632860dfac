"""
`pigpen new` and `pigpen lock`: a bot's folder to start from, and the lock of its packages.

`pigpen lock` writes down exactly which packages a bot gets.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from ladder.terminal.options import SandboxOption, say
from ladder.terminal.sanitize import sanitize
from ladder.values.names import MAIN_FILES
from ladder.values.sandbox_kind import WITHOUT_ENGINE, SandboxKind


def new(
    folder: Annotated[Path, typer.Argument(help="The folder to make; its name is the bot's name.")],
    like: Annotated[str | None, typer.Option("--like", help="The sample bot to copy; random if none is named.")] = None,
    lang: Annotated[
        str | None, typer.Option(help="Its language: python, javascript, cpp, go, rust, java or csharp.")
    ] = None,
) -> None:
    """
    Make a folder with a bot that can already play.

    Examples:
        pigpen new mybot

        pigpen new mybot --like counting

        pigpen new mybot --lang cpp
    """
    from ladder.app.local.folder import new_folder

    made = new_folder(folder, like, lang)
    word = shlex.quote(str(folder) if folder.is_absolute() else f"./{folder}")
    typer.echo(f"Made {folder} with {', '.join(made.files)}.")
    if "package.json" in made.files:
        typer.echo(f"Install its packages, which containers have already: (cd {word} && npm ci)")
    main = next(name for name in made.files if name.lower().startswith("bot."))
    if main not in MAIN_FILES:
        typer.echo(f"Change {main}, then see how it does (README.md in the folder says more):")
        typer.echo(f"  pigpen play {word} random cautious counting")
        return
    typer.echo(
        f"Change {main}, then see how it does: pigpen play {word} random cautious counting --sandbox {WITHOUT_ENGINE}"
    )


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
