"""What a folder holds, as one hash and as one archive: what is not hashed is not shipped either."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

IGNORED = frozenset(
    {"__pycache__", "node_modules", ".git", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".DS_Store"}
)
"""Names left out at any depth: they change without the bot changing."""


def content_hash(folder: Path) -> str:
    """
    Hash names and contents of everything below *folder*, except what is `IGNORED`.

    The same tree gives the same hash on every machine: owners, times, and all modes but the x bit do not count.

    Returns:
        64 hexadecimal digits of SHA-256.
    """
    whole = hashlib.sha256()
    for path in paths(folder):
        name = path.relative_to(folder).as_posix()
        kind, content = _content(path)
        # Every part is of fixed length, so that no two trees run together to the same bytes.
        whole.update(hashlib.sha256(name.encode()).digest() + kind + hashlib.sha256(content).digest())
    return whole.hexdigest()


def archive(folder: Path, kept: Container[str] | None = None) -> BinaryIO:
    """
    Pack *folder* for a build, in the order and with just the facts that `content_hash` counts.

    Files become readable by everyone, since a bot runs under a user of its own. With *kept*, only these paths,
    relative to *folder*, are packed.
    """
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for path in paths(folder):
            name = path.relative_to(folder).as_posix()
            if kept is None or name in kept:
                tar.add(path, name, recursive=False, filter=_plain)
    packed.seek(0)
    return packed


def paths(folder: Path) -> Iterator[Path]:
    """Go through folders, files and symbolic links below *folder*, in a fixed order, links not followed."""
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name in IGNORED:
            continue
        if entry.is_symlink() or entry.is_file():
            yield Path(entry.path)
        elif entry.is_dir():
            yield Path(entry.path)
            yield from paths(Path(entry.path))
        # Sockets, pipes and devices are no content: reading them could block for ever.


def _content(path: Path) -> tuple[bytes, bytes]:
    if path.is_symlink():
        return b"l", os.fsencode(os.readlink(path))
    if path.is_dir():
        return b"d", b""
    return b"x" if _is_executable(path) else b"f", path.read_bytes()


def _is_executable(path: Path) -> bool:
    return bool(path.stat().st_mode & 0o100)


def _plain(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.uid = info.gid = info.mtime = 0
    info.uname = info.gname = ""
    info.mode = 0o755 if info.isdir() or info.mode & 0o100 else 0o644
    return info
