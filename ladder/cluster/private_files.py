"""Files with keys, which only this user may read."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

from ladder.errors import UserError
from ladder.values.new_name import give_new_name

if TYPE_CHECKING:
    from pathlib import Path


def make_private(folder: Path) -> None:
    """
    Make a folder that only this user may enter; one that is there becomes such a one.

    Raises:
        UserError: If that cannot be.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    except OSError as error:
        raise UserError(f"The folder {folder} cannot be made: {error.strerror}.") from error


def write_private(file: Path, text: str) -> None:
    """
    Write a new file that only this user may read.

    Raises:
        UserError: If it is there, or cannot be written.
    """
    draft = file.with_name(f".{file.name}.{secrets.token_hex(8)}")  # threads of one process may write at once
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
            opened.write(text)
        try:
            give_new_name(draft, file)  # never over another one, and never half of it
        finally:
            draft.unlink(missing_ok=True)
    except FileExistsError:
        raise UserError(f"{file} is there already. Delete it, or choose another name.") from None
    except OSError as error:
        raise UserError(f"The file {file} cannot be written: {error.strerror}.") from error
