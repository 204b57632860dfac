"""Files that commands write for their users: never over another one, and never in part."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from ladder.errors import UserError
from ladder.values.new_name import give_new_name

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


THERE = "{} is there already. Choose another name; nothing was changed."


def new_files(folder: Path, names: Iterable[str]) -> list[Path]:
    """
    Give the paths of files in a folder, which is made if it is not there: none of them is written without the others.

    Raises:
        UserError: If one is there already, or the folder cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{str(folder)!r} cannot be made: {error.strerror}.") from error
    paths = [folder / name for name in names]
    for path in paths:
        if os.path.lexists(path):
            raise UserError(THERE.format(repr(str(path))))
    return paths


def write_new(path: Path, chunks: Iterable[bytes]) -> None:
    """
    Write a new file; it is there when it is whole.

    Raises:
        UserError: If something is there already, or it cannot be written.
    """
    if os.path.lexists(path):
        raise UserError(THERE.format(repr(str(path))))
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with draft.open("xb") as file:
            file.writelines(chunks)
        give_new_name(draft, path)
    except FileExistsError:
        raise UserError(THERE.format(repr(str(path)))) from None
    except OSError as error:
        raise UserError(f"{str(path)!r} cannot be written: {error.strerror}.") from error
    finally:
        with suppress(OSError):
            draft.unlink()
