"""Archives as contestants send them."""

from __future__ import annotations

import io
import tarfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def packed(**files: str) -> bytes:
    """A bot's folder: bot.py, and these files; an underscore in a name stands for a dot."""
    return archive_of({name.replace("_", "."): text for name, text in ({"bot_py": "pass\n"} | files).items()})


def archive_of(files: Mapping[str, str]) -> bytes:
    """An archive of files, by their paths."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        for path, text in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    return archive.getvalue()


def link_out() -> bytes:
    """A folder with a link to a file of the ladder's machine."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        info = tarfile.TarInfo("bot.py")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(info)
    return archive.getvalue()
