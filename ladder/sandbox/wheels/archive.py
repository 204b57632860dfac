"""Open a stranger's wheel: a zip archive that may lie about its sizes, names and kinds of files."""

from __future__ import annotations

import stat
import zipfile
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ladder.errors import BotRejected

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DIRECTORY_BYTES = 4 * 1024 * 1024
"""What the list of files in the archive may take: zipfile makes an object of each entry as it opens the archive."""
MOST_DEPTH = 20
MOST_NAME_BYTES = 200
"""In one part of a path."""
RATIO = 200
"""How many times larger than the wheel its content may be; numpy's is 4 times as large."""
SMALL_BYTES = 1024 * 1024
"""Below this, no ratio counts: empty lines pack well."""
CHUNK = 64 * 1024
_END, _END_SIZE = b"PK\x05\x06", 22
_LOCATOR_SIZE = 20
"""Of what leads to the larger lists of zip64; it stands right before the end record."""


class Wheel:
    """An open wheel whose list of files has been looked at."""

    def __init__(self, archive: zipfile.ZipFile, label: str, size: int) -> None:
        """
        Look at the list of files.

        Raises:
            BotRejected: If one is no regular file, or has a name that cannot be one inside a folder.
        """
        self._archive = archive
        self.label = label
        """For people: ``scipy 1.17.1``."""
        self._left = max(SMALL_BYTES, RATIO * size)
        self.files: dict[str, zipfile.ZipInfo] = {}
        """By name; folders are left out."""
        for info in archive.infolist():
            self._check(info)
            if not info.is_dir():
                self.files[info.filename] = info

    def chunks(self, name: str) -> Iterator[bytes]:
        """
        Give the content of a file piece by piece, counting what really comes out.

        Raises:
            BotRejected: If it is damaged, or more than a wheel of this size may hold.
        """
        with damaged(self.label), self._archive.open(self.files[name]) as file:
            while chunk := file.read(CHUNK):
                self._left -= len(chunk)
                if self._left < 0:
                    raise self.refusal(f"unpacks to more than {RATIO} times its size")
                yield chunk

    def read(self, name: str, most_bytes: int) -> bytes:
        """
        Give the content of a small file.

        Raises:
            BotRejected: If there is none of that name, or it is larger than that.
        """
        if name not in self.files:
            raise self.refusal(f"has no file {name!r}")
        content = b""
        for chunk in self.chunks(name):
            content += chunk
            if len(content) > most_bytes:
                raise self.refusal(f"has a file {name[:80]!r} of more than {most_bytes:,} bytes")
        return content

    def metadata(self, file: str) -> str:
        """
        Give the name of a file in its one ``.dist-info`` folder.

        Raises:
            BotRejected: If there are none or several such folders.
        """
        folders = {name.partition("/")[0] for name in self.files if name.partition("/")[0].endswith(".dist-info")}
        if len(folders) != 1:
            raise self.refusal(f"has {len(folders)} folders .dist-info instead of one")
        return f"{folders.pop()}/{file}"

    def refusal(self, why: str) -> BotRejected:
        """Say what is wrong with it."""
        return BotRejected(f"The wheel of {self.label} {why}. Ask for another version, or leave the package out.")

    def _check(self, info: zipfile.ZipInfo) -> None:
        name = info.filename
        shown = repr(name[:80])
        parts = name.removesuffix("/").split("/")
        if not name.isprintable() or "\\" in name or any(part in ("", ".", "..") for part in parts):
            raise self.refusal(f"holds {shown}, which is no name of a file inside it")
        if len(parts) > MOST_DEPTH or any(len(part.encode()) > MOST_NAME_BYTES for part in parts):
            raise self.refusal(f"holds {shown}, which is too deep or too long a name")
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFDIR if info.is_dir() else stat.S_IFREG):
            raise self.refusal(f"holds {shown}, which is a link or a device and not a regular file")
        if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise self.refusal(f"holds {shown}, which is encrypted or packed in a way that wheels are not")
        if name in self.files:
            raise self.refusal(f"holds {shown} twice")


@contextmanager
def open_wheel(path: Path, label: str, directory_bytes: int = DIRECTORY_BYTES) -> Iterator[Wheel]:
    """
    Open a wheel and close it in the end; the list of files in it may take so many bytes.

    Raises:
        BotRejected: If it is no archive, or one that is not to be unpacked.
    """
    with damaged(label):
        _check_directory(path, label, directory_bytes)
        archive = zipfile.ZipFile(path)
    with archive:
        yield Wheel(archive, label, path.stat().st_size)


@contextmanager
def damaged(label: str) -> Iterator[None]:
    """Turn what a damaged archive raises into a sentence."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, ValueError, RuntimeError) as error:
        raise BotRejected(f"The wheel of {label} is damaged: {error}. Ask for another version.") from error


def _check_directory(path: Path, label: str, most_bytes: int) -> None:
    """Look at how long the list of files is before all of it is read into memory."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _END_SIZE - _LOCATOR_SIZE - 0x10000))
        tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) < at + _END_SIZE:
        raise zipfile.BadZipFile("it is no zip archive")
    length = int.from_bytes(tail[at + 12 : at + 16], "little")
    is_zip64 = tail[max(0, at - _LOCATOR_SIZE) :].startswith(b"PK\x06\x07")
    if is_zip64 or length > most_bytes:
        raise BotRejected(f"The wheel of {label} holds too many files. Ask for another version, or leave it out.")
