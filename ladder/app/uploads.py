"""
A folder of a bot on its way to the ladder: announced, sent in pieces, and resumed after a broken connection.

Each upload is a folder of its own, whose name cannot be guessed. What has arrived is on the disk, so it outlives the
web process; what is not resumed is removed after a day.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.errors import BotRejected, Conflict, LadderError, TooOften, UserError
from ladder.sandbox.host.scratch import disk_errors
from ladder.values.accounts import Viewer
from ladder.values.submission import Upload

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder

LASTS_SECONDS = 24 * 3600.0
"""Seconds that an upload is kept."""
MAX_OPEN = 3
"""Uploads that one account may have begun."""
NO_UPLOAD = "There is no such upload. Begin another one."
_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class _Head:
    """The announcement of an upload."""

    owner: str
    bytes: int


def begin_upload(ladder: Ladder, viewer: Viewer, size: int) -> Upload:
    """
    Announce an upload of *size* bytes.

    Raises:
        SandboxError: If there is no room.
        TooOften: If too many are under way.
        UserError: If it is too large.
    """
    if size > ladder.settings.upload_bytes:
        raise UserError(
            f"The packed folder has {size:,} bytes, and this ladder takes at most {ladder.settings.upload_bytes:,}. "
            "Leave out what the bot does not need to play."
        )
    root = _root(ladder)
    with disk_errors(root):
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        for folder in root.iterdir():
            if _is_old(ladder, folder):
                shutil.rmtree(folder, ignore_errors=True)
        if sum(_is_of(viewer, folder) for folder in root.iterdir()) >= MAX_OPEN:
            raise TooOften(f"{MAX_OPEN} of your uploads are not finished. Finish one of them, or give it up.", 60.0)
        name = secrets.token_hex(16)
        (root / name).mkdir(mode=0o700)
        (root / name / "data").touch(mode=0o600)
        (root / name / "head.json").write_text(json.dumps({"owner": viewer.name, "bytes": size}))
    return Upload(id=name, bytes=size, offset=0)


def upload(ladder: Ladder, viewer: Viewer, name: str) -> Upload:
    """
    Say how much of an upload has arrived.

    Raises:
        LadderError: If there is none of that name, or it is another account's.
    """
    folder, size = _find(ladder, viewer, name)
    return Upload(id=name, bytes=size, offset=(folder / "data").stat().st_size)


async def go_on(ladder: Ladder, viewer: Viewer, name: str, offset: int, pieces: AsyncIterator[bytes]) -> Upload:
    """
    Take more of an upload; whatever has come stays, even if the rest does not.

    Args:
        ladder: The ladder.
        viewer: Whose it is.
        name: The upload's.
        offset: Of the first byte that comes now.
        pieces: The bytes.

    Raises:
        Conflict: If another number of bytes has arrived, or another request is sending.
        LadderError: If there is none of that name, or it is another account's.
        SandboxError: If there is no room.
        UserError: If more comes than was announced.
    """
    folder, size = _find(ladder, viewer, name)
    with _appending(folder / "data") as number:
        there = os.fstat(number).st_size
        if there != offset:
            raise Conflict(f"{there} bytes of this upload have arrived, and not {offset}. Continue there.")
        async for piece in pieces:
            there += len(piece)
            if there > size:
                raise UserError(f"More than the announced {size:,} bytes have arrived. Begin another upload.")
            with disk_errors(folder):  # what breaks on the way here is no matter of the disk
                while piece:
                    piece = piece[os.write(number, piece) :]
    return Upload(id=name, bytes=size, offset=there)


@contextmanager
def finished_upload(ladder: Ladder, viewer: Viewer, name: str) -> Iterator[Path]:
    """
    Yield the file of an upload that is complete, for no other request meanwhile.

    In the end it is removed: it was taken; or what is in it is not taken, and would not be the next time. If something
    else was in the way, it stays.

    Raises:
        Conflict: If a request is sending to it, or it is being submitted.
        LadderError: If there is none of that name, or it is another account's.
        UserError: If some of it is missing.
    """
    folder, size = _find(ladder, viewer, name)
    with _appending(folder / "data") as number:
        there = os.fstat(number).st_size
        if there < size:
            raise UserError(f"{there} of {size} bytes of this upload have arrived. Send the rest first.")
        try:
            yield folder / "data"
        except BotRejected:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        shutil.rmtree(folder, ignore_errors=True)


def give_up(ladder: Ladder, viewer: Viewer, name: str) -> None:
    """
    Remove an upload.

    Raises:
        LadderError: If there is none of that name, or it is another account's.
    """
    shutil.rmtree(_find(ladder, viewer, name)[0], ignore_errors=True)


def remove_uploads(ladder: Ladder, owner: str) -> None:
    """Remove all uploads of an account, by its name."""
    root = _root(ladder)
    for folder in root.iterdir() if root.is_dir() else ():
        if _is_of(Viewer(owner), folder):
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _appending(file: Path) -> Iterator[int]:
    """Yield the file, open to be appended to, by no other request meanwhile."""
    try:
        number = os.open(file, os.O_WRONLY | os.O_APPEND)
    except FileNotFoundError:  # another request has just removed it
        raise LadderError(NO_UPLOAD) from None
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.fstat(number).st_nlink:  # removed before it was locked
            raise LadderError(NO_UPLOAD)
        yield number
    except BlockingIOError:
        raise Conflict("Another request is sending or submitting this upload. Wait until it has ended.") from None
    finally:
        os.close(number)


def _find(ladder: Ladder, viewer: Viewer, name: str) -> tuple[Path, int]:
    """Give the folder of an upload, and how many bytes were announced."""
    folder = _root(ladder) / name
    head = _head(folder) if _ID.fullmatch(name) else None
    if head is None or head.owner != viewer.name or _is_old(ladder, folder):
        raise LadderError(NO_UPLOAD)
    return folder, head.bytes


def _is_of(viewer: Viewer, folder: Path) -> bool:
    head = _head(folder)
    return head is not None and head.owner == viewer.name


def _head(folder: Path) -> _Head | None:
    """Give what was announced; None if there is no such upload, or not yet."""
    try:
        return _Head(**json.loads((folder / "head.json").read_text()))
    except (OSError, ValueError):
        return None


def _is_old(ladder: Ladder, folder: Path) -> bool:
    try:
        return folder.stat().st_mtime < ladder.clock() - LASTS_SECONDS
    except FileNotFoundError:  # another request has just removed it
        return True


def _root(ladder: Ladder) -> Path:
    return ladder.settings.data_dir / "uploads"
