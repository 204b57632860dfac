"""Folders of bots that were submitted, from when they arrive until their submission has ended."""

from __future__ import annotations

import re
import secrets
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

_NAME = re.compile(r"[0-9a-f]{32}")
_SOURCE = re.compile(r"\w[\w.-]{0,60}")


def folder_name(source: str) -> str:
    """
    Name the folder of a bot as its owner calls it, if a folder can be called so.

    >>> folder_name("mybot"), folder_name("../mybot")
    ('mybot', 'bot')
    """
    return source if _SOURCE.fullmatch(source) else "bot"


class SubmissionFolders:
    """The folder `submissions` of a ladder; in it a folder for each submission, whose name cannot be guessed."""

    def __init__(self, data_dir: Path) -> None:
        self.root = data_dir / "submissions"

    def make(self, name: str = "") -> str:
        """
        Make a folder for one more submission, which only this user may read; give its name.

        Args:
            name: The name, 32 hexadecimal digits; what a killed process left there is removed. Empty: a new one.

        Raises:
            OSError: If there is no room.
        """
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        if name:
            self.remove(name)
        name = name or secrets.token_hex(16)
        (self.root / name).mkdir(mode=0o700)
        return name

    def bot(self, name: str, source: str) -> Path:
        """Give the bot's folder, below the folder of that name; named as its owner's, if that is possible."""
        return self.root / name / folder_name(source)

    def remove(self, name: str) -> None:
        """Remove one, if it is there."""
        shutil.rmtree(self.root / name, ignore_errors=True)

    def names(self) -> list[str]:
        """Give the names of all folders."""
        return [folder.name for folder in self.root.iterdir()] if self.root.is_dir() else []

    def remove_others(self, kept: Collection[str], before: float) -> None:
        """Remove what belongs to no submission: all folders but *kept*, if they were made before that Unix time."""
        for folder in self.root.iterdir() if self.root.is_dir() else ():
            if _NAME.fullmatch(folder.name) and folder.name not in kept and folder.stat().st_mtime < before:
                self.remove(folder.name)
