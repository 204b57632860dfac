"""Temporary folders that do not outlive us for long: the next start removes those of a process that was killed."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.sandbox import owners

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIX = "pigpen-match-"
OWNER = "owner"
"""File in the folder that names the process whose folder it is (owners.py)."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Make a folder that is gone afterwards, and remove what killed processes left."""
    _sweep()
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name:
        folder = Path(name)
        (folder / OWNER).write_text(owners.this_process())
        yield folder


def _sweep() -> None:
    for mark in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{OWNER}"):
        try:
            if owners.is_dead(mark.read_text()):
                shutil.rmtree(mark.parent, ignore_errors=True)
        except (OSError, ValueError):  # another user's, or just being made or removed
            continue
