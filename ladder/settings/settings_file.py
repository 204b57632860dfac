"""
The place of `pigpen.toml`, and the folders in which it is not read: a bot must not choose how it is run, and on which
ladder.

It is the organiser's if it lies in the current folder, unless that is, or is in, the folder of a bot.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.values.names import BUILD_FILES, DOCKERFILE, MAIN_FILES, SOURCE_MAIN_FILES

if TYPE_CHECKING:
    from collections.abc import Iterable

FILE = "pigpen.toml"


def bot_around(named: Iterable[Path] = ()) -> Path | None:
    """
    Find the bot whose folder the current folder is, or lies in.

    Args:
        named: Folders of bots that stand on the command line.
    """
    try:
        here = Path.cwd()
    except FileNotFoundError:  # it was removed, and the file with it
        return None
    around = [here, *here.parents]
    for folder in named:
        if folder.resolve() in around:
            return folder
    if any(_holds(here, name) for name in (DOCKERFILE, *BUILD_FILES)):
        return here
    # A Dockerfile further up may belong to any project; a bot.py belongs to a bot.
    main_files = (*MAIN_FILES, *SOURCE_MAIN_FILES)
    return next((folder for folder in around if any(_holds(folder, name) for name in main_files)), None)


def why_not_read(named: Iterable[Path] = ()) -> str | None:
    """Say why the settings' file is not read; None if it is, or if there is none."""
    bot = bot_around(named)
    if bot is None or not os.path.lexists(FILE):
        return None
    return (
        f"{str(Path.cwd() / FILE)!r} is not read: it lies in the folder of a bot, {str(bot)!r}, and a bot does not "
        "choose its settings. Keep the file in a folder of your own, and run commands there."
    )


def _holds(folder: Path, name: str) -> bool:
    return os.path.isfile(folder / name)  # unlike Path.is_file, False where we may not look
