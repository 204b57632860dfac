"""Folders that were entered: copies by the hash of their content, from which the ladder plays."""

from __future__ import annotations

import tempfile
from pathlib import Path

from ladder.errors import BotRejected
from ladder.sandbox.bots.content import Content
from ladder.sandbox.host.scratch import disk_errors

FOLDERS = "folders"
"""Folder in the ladder's data folder."""


def kept_folder(data_dir: Path, identity: str) -> Path:
    """Give the path where the folder of that identity (``sha256:…``) is kept."""
    return data_dir / FOLDERS / identity.removeprefix("sha256:")


def keep_folder(content: Content, data_dir: Path) -> Path:
    """
    Keep what a folder holds, under its hash; it is there whole or not at all.

    Raises:
        SandboxError: If there is no room for it.
    """
    identity = f"sha256:{content.hash}"
    kept = kept_folder(data_dir, identity)
    with disk_errors(kept):
        kept.parent.mkdir(parents=True, exist_ok=True)
        if is_kept(kept, identity):
            return kept
        with tempfile.TemporaryDirectory(prefix=".new-", dir=kept.parent) as name:
            content.write(Path(name) / "new")
            _put(Path(name) / "new", kept, identity)
    return kept


def check_not_kept(folder: Path, data_dir: Path) -> None:
    """
    Make sure that a submitted folder is not one of those that the ladder keeps: these are bots of all owners.

    Raises:
        BotRejected: If it is.
    """
    if folder.resolve().is_relative_to((data_dir / FOLDERS).resolve()):
        raise BotRejected(f"{folder} is where the ladder keeps the bots that were entered. Submit your own folder.")


def _put(new: Path, kept: Path, identity: str) -> None:
    if kept.exists() and not is_kept(kept, identity):  # it was changed
        kept.rename(new.with_name("old"))
    try:
        new.rename(kept)
    except OSError:
        if not is_kept(kept, identity):  # or else another submission of the same folder was first
            raise


def is_kept(kept: Path, identity: str) -> bool:
    """Tell whether the folder is there and is what its name says."""
    return kept.is_dir() and is_content(kept, identity)


def is_content(folder: Path, identity: str) -> bool:
    """Tell whether the folder holds what has that identity; what cannot be read does not."""
    try:
        return f"sha256:{Content.read(folder).hash}" == identity
    except BotRejected:
        return False
