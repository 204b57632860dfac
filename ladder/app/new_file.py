"""Files that commands write for their users: never over another one, and never in part."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from ladder.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def write_new(path: Path, chunks: Iterable[bytes]) -> None:
    """
    Write a new file; it is there when it is whole.

    Raises:
        UserError: If something is there already, or it cannot be written.
    """
    if os.path.lexists(path):
        raise UserError(f"{str(path)!r} is there already. Choose another name; nothing was changed.")
    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("wb") as file:
            file.writelines(chunks)
        partial.replace(path)
    except BaseException as error:
        with suppress(OSError):
            partial.unlink()
        if isinstance(error, OSError):
            raise UserError(f"{str(path)!r} cannot be written: {error.strerror}.") from error
        raise
