"""The content of `pigpen.toml`, and the reason why it cannot be read."""

from __future__ import annotations

import errno
import os
import stat
import tomllib
from pathlib import Path
from typing import Any

from ladder.settings.settings_file import FILE


def read_file() -> dict[str, Any]:
    """
    Read the settings in `pigpen.toml`, as they stand there; none if there is no such file.

    A directory, or a link that leads to no file, is refused, because without it another ladder would be meant. A byte
    order mark, which some editors write, is taken.

    Raises:
        ValueError: If the file is there and cannot be read; the message says why, and does not name the file.
    """
    if reason := _why_no_file():
        raise ValueError(reason)
    try:
        text = Path(FILE).read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return {}
    except UnicodeError:
        raise ValueError("it is not UTF-8 text; save it as UTF-8") from None
    except OSError as error:
        raise ValueError(error.strerror or str(error)) from None
    return tomllib.loads(text)


def _why_no_file() -> str | None:
    """Say why what is called `pigpen.toml` is no file; None if it is one, or if nothing is called so."""
    if not os.path.lexists(FILE):
        return None
    try:
        mode = os.stat(FILE).st_mode
    except OSError as error:
        if error.errno == errno.ENOENT:
            return f"it is a link to {os.readlink(FILE)!r}, which leads to no file; make that file, or remove the link"
        if error.errno == errno.ELOOP:
            return "it is a link that leads back to itself; remove it"
        return error.strerror
    if stat.S_ISDIR(mode):
        return "it is a directory; rename it, or remove it"
    return None if stat.S_ISREG(mode) else "it is not a regular file; rename it, or remove it"
