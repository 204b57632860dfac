"""Files that are there as a whole, or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """
    Write a file in the place of another one, for this user alone; others may read and write the same one meanwhile.

    Args:
        path: The file; its folder is made.
        content: What it holds from now on.

    Raises:
        OSError: If it cannot be written; then the other one is still there, and nothing else.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    number, new = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with open(number, "wb") as file:
            file.write(content)
        os.replace(new, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(new)
        raise
