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
