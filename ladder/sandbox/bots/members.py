"""
Read a stranger's folder once: files, folders and links, within limits, and without following a link.

Every file is opened below the folder that was just listed, never by its whole path, so a path component that is
replaced meanwhile cannot lead out of the folder.
"""

from __future__ import annotations

import enum
import os
import stat
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import BotRejected

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

IGNORED = frozenset(
    {"__pycache__", "node_modules", ".git", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".DS_Store"}
)
"""Names left out at any depth: they change without the bot changing."""

MAX_BYTES = 512 * 1024**2
"""Bytes in all files of a folder; they are in memory while the bot is loaded."""
MAX_MEMBERS = 20_000
"""Files, folders and links in a folder."""
MAX_LEVELS = 64
"""Folders within each other."""
MAX_NAME = 1000
"""Bytes of a path below the folder, and of what a link names."""
MAX_LINKS = 40
"""Links on the way to one file, as Linux has it."""


class Kind(enum.StrEnum):
    """Kind of a member; the values are what `Content.hash` counts."""

    FILE = "f"
    EXECUTABLE = "x"
    """A file that its owner may run."""
    FOLDER = "d"
    LINK = "l"


@dataclass(frozen=True)
class FolderMember:
    """One file, folder or symbolic link in a folder."""

    name: str
    """Path from the folder on, with ``/`` between its parts."""
    kind: Kind
    content: bytes = b""
    """The file's bytes, or what the link names; nothing for a folder."""

    @property
    def parts(self) -> list[str]:
        """The names on the way to it. Members stand in the order of these."""
        return self.name.split("/")


def read_members(folder: Path, max_bytes: int, max_members: int = MAX_MEMBERS) -> tuple[FolderMember, ...]:
    """
    Read all that counts below *folder*, in a fixed order.

    Args:
        folder: The folder.
        max_bytes: In all files together.
        max_members: Files, folders and links.

    Raises:
        BotRejected: If something cannot be read, exceeds a limit, has a name that is not UTF-8, or is a link out of
            the folder.
    """
    reading = _Reading(folder, max_bytes, max_members)
    with reading.unreadable(""), _opened(os.open(folder, os.O_RDONLY | os.O_DIRECTORY)) as root:
        members = tuple(reading.below(root, "", 1))
    links = {member.name: member.content.decode() for member in members if member.kind is Kind.LINK}
    for name in links:
        if _leads_out(name, links):
            raise BotRejected(
                f"{folder / name} is a link that leads out of the bot's folder, and the ladder would not keep "
                "what it leads to. Put a copy in its place."
            )
    return members


class _Reading:
    def __init__(self, folder: Path, max_bytes: int, max_members: int) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._max_members = max_members
        self._bytes = 0
        self._members = 0

    def below(self, parent: int, prefix: str, level: int) -> Iterator[FolderMember]:
        if level > MAX_LEVELS:
            raise self._refused(f"has more than {MAX_LEVELS} folders within each other")
        for name, mode in sorted(self._list(parent, prefix)):
            yield from self._member(parent, prefix + name, stat.S_IFMT(mode), level)

    def _list(self, parent: int, prefix: str) -> Iterator[tuple[str, int]]:
        with self.unreadable(prefix), os.scandir(parent) as listed:
            for found in listed:
                if found.name in IGNORED:
                    continue
                self._members += 1
                if self._members > self._max_members:
                    raise self._refused(f"has more than {self._max_members:,} files and folders")
                yield self._checked(prefix, found.name), found.stat(follow_symlinks=False).st_mode

    def _checked(self, prefix: str, name: str) -> str:
        try:
            length = len((prefix + name).encode())
        except UnicodeEncodeError:
            raise self._refused(f"has a name that is not UTF-8: {prefix + name!r}") from None
        if length > MAX_NAME:
            raise self._refused(f"has a path of more than {MAX_NAME} bytes, which begins with {prefix[:40]!r}")
        return name

    def _member(self, parent: int, name: str, kind: int, level: int) -> Iterator[FolderMember]:
        last = name.rpartition("/")[2]
        if kind == stat.S_IFLNK:
            with self.unreadable(name):
                target = self._checked("", os.readlink(last, dir_fd=parent))
            yield FolderMember(name, Kind.LINK, target.encode())
        elif kind == stat.S_IFREG:
            with self.unreadable(name):
                yield self._file(parent, name, last)
        elif kind == stat.S_IFDIR:
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
            with self.unreadable(name), _opened(os.open(last, flags, dir_fd=parent)) as number:
                yield FolderMember(name, Kind.FOLDER)
                yield from self.below(number, name + "/", level + 1)
        # Sockets, pipes and devices are no content: reading them could block for ever.

    def _file(self, parent: int, name: str, last: str) -> FolderMember:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        with _opened(os.open(last, flags, dir_fd=parent)) as number:
            found = os.fstat(number)
            if not stat.S_ISREG(found.st_mode):
                raise self._refused(f"changed while it was read: {name!r}")
            room = self._max_bytes - self._bytes
            content = self._read(number, room) if found.st_size <= room else None
        if content is None:
            raise self._refused(
                f"holds more than {self._max_bytes:,} bytes, which is the limit, at {name!r}. Leave out what the bot "
                "does not need to play"
            )
        self._bytes += len(content)
        return FolderMember(name, Kind.EXECUTABLE if found.st_mode & stat.S_IXUSR else Kind.FILE, content)

    def _read(self, number: int, room: int) -> bytes | None:
        """Read the file's bytes; None if there are more than *room*, however many there were when it was opened."""
        with open(number, "rb", closefd=False) as file:
            content = file.read(room + 1)
        return content if len(content) <= room else None

    def _refused(self, why: str) -> BotRejected:
        return BotRejected(f"The folder {self._folder} {why}.")

    @contextmanager
    def unreadable(self, name: str) -> Iterator[None]:
        """Turn the system's refusal to read into a sentence for the bot's owner."""
        try:
            yield
        except OSError as error:
            raise BotRejected(
                f"The bot in {self._folder} cannot be read: {self._folder / name}: {error.strerror}."
            ) from error


def _leads_out(name: str, links: Mapping[str, str]) -> bool:
    """Tell whether following the link *name*, and the links on its way, leads out of the folder, or never ends."""
    here = name.split("/")[:-1]
    ahead = [name.split("/")[-1]]
    followed = 0
    while ahead:
        part = ahead.pop()
        if part == ".." and not here:
            return True
        if part == "..":
            here.pop()
        elif part not in ("", "."):
            here.append(part)
        target = links.get("/".join(here)) if part not in ("", ".", "..") else None
        if target is not None:
            followed += 1
            here.pop()
            ahead += target.split("/")[::-1]
        if followed > MAX_LINKS or (target or "").startswith("/"):
            return True
    return False


@contextmanager
def _opened(number: int) -> Iterator[int]:
    try:
        yield number
    finally:
        os.close(number)
