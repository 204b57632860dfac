"""A bot's folder."""

from __future__ import annotations

from pathlib import Path

from ladder.values.value import Value


class NewFolder(Value):
    """A folder that was made."""

    folder: Path
    files: tuple[str, ...]
    """The names of what is in it."""


class Locked(Value):
    """A lock that was written."""

    file: Path
    target: str
    """Machine and Python for which the packages are."""
    packages: tuple[str, ...]
    """Name and version of each."""
