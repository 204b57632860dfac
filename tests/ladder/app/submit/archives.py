"""Archives as contestants send them."""

from __future__ import annotations

import io
import tarfile


def packed(**files: str) -> bytes:
    """A bot's folder: bot.py, and these files; an underscore in a name stands for a dot."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        for name, text in ({"bot_py": "pass\n"} | files).items():
            info = tarfile.TarInfo(name.replace("_", "."))
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
