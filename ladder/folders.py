"""Folders that were entered: copies by the hash of their content, from which the ladder plays."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.content import content_hash, paths
from ladder.sandbox.base import BotRejected
from ladder.scratch import disk_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDERS = "folders"
"""Folder in the ladder's data folder."""


def kept_folder(data_dir: Path, identity: str) -> Path:
    """Where the folder of that identity (``sha256:…``) is kept."""
    return data_dir / FOLDERS / identity.removeprefix("sha256:")


def folder_size(folder: Path) -> int:
    """
    Bytes of all files below *folder* that count.

    Raises:
        BotRejected: If one cannot be read.
    """
    with unreadable(folder):
        return sum(path.lstat().st_size for path in paths(folder) if not path.is_dir() or path.is_symlink())


def copy_folder(source: Path, target: Path) -> None:
    """
    Copy what counts of the folder *source* to *target*, which is made: what `ladder.content` hashes, and no more.

    Raises:
        BotRejected: If something cannot be read, or a symbolic link leads out of the folder.
        SandboxError: If there is no room for it.
    """
    with unreadable(source):
        found = list(paths(source))
        _check_links(source, found)
    for path in (source, *found):
        copy = target / path.relative_to(source)
        if path.is_symlink():
            with disk_errors(copy):
                copy.symlink_to(os.readlink(path))
        elif path.is_dir():
            with disk_errors(copy):
                copy.mkdir()
        else:
            with unreadable(source):
                content, mode = path.read_bytes(), path.stat().st_mode & 0o100
            with disk_errors(copy):
                copy.write_bytes(content)
                copy.chmod(0o755 if mode else 0o644)


def keep_folder(copy: Path, data_dir: Path, identity: str) -> Path:
    """
    Keep a copy (`copy_folder`) whose identity is known; it is there whole or not at all.

    Raises:
        SandboxError: If there is no room for it.
    """
    kept = kept_folder(data_dir, identity)
    with disk_errors(kept):
        kept.parent.mkdir(parents=True, exist_ok=True)
        if is_kept(kept, identity):
            return kept
        with tempfile.TemporaryDirectory(prefix=".new-", dir=kept.parent) as name:
            shutil.copytree(copy, Path(name) / "new", symlinks=True)
            _put(Path(name) / "new", kept, identity)
    return kept


def _put(new: Path, kept: Path, identity: str) -> None:
    if kept.exists() and not is_kept(kept, identity):  # somebody changed it
        kept.rename(new.with_name("old"))
    try:
        new.rename(kept)
    except OSError:
        if not is_kept(kept, identity):  # or else another submission of the same folder was first
            raise


def is_kept(kept: Path, identity: str) -> bool:
    """Whether the folder is there and is what its name says."""
    return kept.is_dir() and f"sha256:{content_hash(kept)}" == identity


@contextmanager
def unreadable(folder: Path) -> Iterator[None]:
    """Turn the system's refusal to read a bot's folder into a sentence for its owner."""
    try:
        yield
    except OSError as error:
        raise BotRejected(f"The bot in {folder} cannot be read: {error.filename}: {error.strerror}.") from error


def _check_links(folder: Path, found: list[Path]) -> None:
    root = folder.resolve()
    for path in found:
        if not path.is_symlink():
            continue
        if os.path.isabs(os.readlink(path)) or not path.resolve().is_relative_to(root):
            raise BotRejected(
                f"{path} is a link that leads out of the bot's folder, and what it leads to would not be pinned. "
                "Put a copy in its place."
            )
