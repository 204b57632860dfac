"""`pigpen new`: a folder to start from."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from ladder.values.bot_files import MAIN_FILES


def new(
    folder: Annotated[Path, typer.Argument(help="The folder to make; its name is the bot's name.")],
    like: Annotated[str, typer.Option("--like", help="The sample bot to copy.")] = "random",
) -> None:
    """
    Make a folder with a bot that can already play.

    Examples:
        pigpen new mybot

        pigpen new mybot --like counting
    """
    from ladder.app.local.folder import new_folder

    made = new_folder(folder, like)
    word = shlex.quote(str(folder) if folder.is_absolute() else f"./{folder}")
    typer.echo(f"Made {folder} with {', '.join(made.files)}.")
    if "package.json" in made.files:
        typer.echo(f"Install its packages: (cd {word} && npm ci)")
    main = next(name for name in MAIN_FILES if name in made.files)
    typer.echo(f"Change {main}, then see how it does: pigpen play {word} random cautious counting --sandbox process")
