"""Text files that people name in a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.errors import UserError

if TYPE_CHECKING:
    from pathlib import Path


def text_of(path: Path, max_bytes: int) -> str:
    """
    Read a file as UTF-8, with or without its mark at the beginning.

    Raises:
        UserError: If it cannot be read, is longer than that, or is something else; the message begins with its name.
    """
    try:
        with path.open("rb") as file:
            content = file.read(max_bytes + 1)
        if len(content) > max_bytes:
            raise UserError(f"{path}: it is longer than {max_bytes:,} bytes.")
        return content.decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"{path}: it cannot be read: {error.strerror}.") from None
    except UnicodeError:
        raise UserError(f"{path}: it is not UTF-8 text.") from None
