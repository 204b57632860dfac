"""`pigpen.toml` as a source of settings: what is read of it, and why it cannot be read."""

from __future__ import annotations

import errno
import os
import stat
import tomllib
from typing import TYPE_CHECKING, Any

from pydantic_settings import TomlConfigSettingsSource

from ladder.settings.file import FILE

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable
    from pathlib import Path


class SettingsFile(TomlConfigSettingsSource):
    """
    The settings in `pigpen.toml`.

    Unlike the class above it refuses a directory, or a link that leads to no file, which would mean another ladder; and
    it takes a byte order mark, which some editors write.

    Raises:
        ValueError: If the file is there and cannot be read; the message says why, and does not name the file.
    """

    def _read_files(self, files: Any, *options: Any, **named: Any) -> dict[str, Any]:  # which, depends on the version
        if files is not None and (reason := _why_no_file()):
            raise ValueError(reason)
        try:
            return super()._read_files(files, *options, **named)
        except OSError as error:
            raise ValueError(error.strerror or str(error)) from None

    def _read_file(self, file_path: Path | Traversable) -> dict[str, Any]:
        try:
            text = file_path.read_bytes().decode("utf-8-sig")
        except UnicodeError:
            raise ValueError("it is not UTF-8 text; save it as UTF-8") from None
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
