"""`pigpen new`: a folder to start from."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import Annotated

import typer

from ladder.errors import UserError
from ladder.sandbox.bots.bot_source import MAIN_FILES, SAMPLES, sample_names


def new(
    folder: Annotated[Path, typer.Argument(help="The folder to make; its name is the bot's name.")],
    like: Annotated[str, typer.Option("--like", help="The sample bot to copy.")] = "random",
) -> None:
    """
    Make a folder with a bot that plays already.

    Examples:
        pigpen new mybot

        pigpen new mybot --like counting
    """
    if like not in sample_names():
        raise UserError(f"There is no sample bot {like!r}. Choose one of {', '.join(sample_names())}.")
    if folder.exists():
        raise UserError(f"{str(folder)!r} is there already. Choose another name; nothing was changed.")
    try:
        shutil.copytree(SAMPLES / like, folder, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    except OSError as error:
        raise UserError(f"{str(folder)!r} cannot be made: {error.strerror}.") from error
    word = shlex.quote(str(folder) if folder.is_absolute() else f"./{folder}")
    typer.echo(f"Made {folder} with {', '.join(sorted(path.name for path in folder.iterdir()))}.")
    if (folder / "package.json").is_file():
        typer.echo(f"Install its packages: (cd {word} && npm ci)")
    main = next(name for name in MAIN_FILES if (folder / name).is_file())
    typer.echo(f"Change {main}, then see how it does: pigpen play {word} random cautious counting --sandbox process")
