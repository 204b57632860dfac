"""
Plays all house bots of one table in one process: `python bot.py`.

`PIGPEN_ADDRESS` names a socket in a folder; the file `seats.json` there says which bots play, and where their seats
are.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import sys
from pathlib import Path

from pigpen import Bot
from pigpen.client import ADDRESS, Client

SEATS = "seats.json"


async def play(folder: Path) -> None:
    """Take every seat that the file in *folder* names, and play until the match is over."""
    async with asyncio.TaskGroup() as playing:
        for number, seat in enumerate(json.loads((folder / SEATS).read_text(encoding="utf-8"))):
            bot = load(f"house_bot_{number}", Path(seat["file"]))
            playing.create_task(Client(bot, seat["name"], seat["address"], seat["token"]).play_match())


def load(name: str, file: Path) -> Bot:
    """Make the bot whose class is in *file*, which is imported as the module *name*."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (bot,) = (
        each
        for each in vars(module).values()
        if isinstance(each, type) and each.__module__ == name and issubclass(each, Bot)
    )
    made: Bot = bot()
    return made


if __name__ == "__main__":
    asyncio.run(play(Path(os.environ[ADDRESS].removeprefix("unix:")).parent))
