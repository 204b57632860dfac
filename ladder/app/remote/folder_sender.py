"""A bot's folder on its way to a remote ladder: packed, and sent piece by piece."""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
import tempfile
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, cast

from ladder.errors import LadderError, RemoteError
from ladder.sandbox.host.scratch import disk_errors
from ladder.values.submission import Upload, UploadOrder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ladder.app.remote.connection import Connection
    from ladder.sandbox.bots.content import Content

PIECE = 2 * 1024**2
"""Bytes sent at once: after a broken connection they are sent again."""
TRIES = 8
"""Attempts in a row in which a piece may fail to arrive."""
MAX_PAUSE = 15.0
"""Seconds between two of these."""
IN_MEMORY = 16 * 1024**2
"""Bytes of a packed folder; a larger one is a temporary file."""

MAX_RATIO = 100
"""A folder of which less is left is sent as it is: ladders take what shrinks too well for a bomb."""


@contextmanager
def packed(content: Content) -> Iterator[tuple[BinaryIO, int]]:
    """
    Pack a folder as tar and gzip: the same folder gives the same bytes.

    Raises:
        SandboxError: If there is no room for it.
    """
    with tempfile.SpooledTemporaryFile(IN_MEMORY) as spooled:
        file = cast("BinaryIO", spooled)
        with disk_errors(tempfile.gettempdir()):
            archive = content.archive()
            whole = archive.seek(0, os.SEEK_END)
            size = _pack(archive, file, level=9)
            if whole > MAX_RATIO * size:
                size = _pack(archive, file, level=0)
        yield file, size


def _pack(archive: BinaryIO, file: BinaryIO, level: int) -> int:
    """Compress an archive into a file from its beginning; gives the bytes that it has then."""
    archive.seek(0)
    file.seek(0)
    file.truncate()
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0, compresslevel=level) as packing:
        shutil.copyfileobj(archive, packing)
    return file.tell()


def upload(
    connection: Connection,
    file: BinaryIO,
    size: int,
    advance: Callable[[], None] = lambda: None,
    wait: Callable[[float], None] = time.sleep,
) -> str:
    """
    Send a file; after a broken connection resume where the ladder says. Gives the upload's id.

    Args:
        connection: The ladder.
        file: What is sent.
        size: How many bytes it has.
        advance: Called after each piece.
        wait: Lets seconds pass between two attempts.

    Raises:
        LadderError: If the ladder does not take it.
        RemoteError: If the ladder does not answer any more.
    """
    sent = connection.send("POST", "/uploads", Upload, UploadOrder(bytes=size))
    failures = 0
    try:
        while sent.offset < size:
            now = _send(connection, sent, file)
            failures = failures + 1 if now is None or now.offset <= sent.offset else 0
            if now is not None and not failures:
                advance()
            elif failures >= TRIES:
                raise RemoteError(f"{connection.address} did not receive the folder in {TRIES} attempts. Try again.")
            else:
                wait(min(2.0**failures / 4, MAX_PAUSE))
            sent = now or _arrived(connection, sent)
    except BaseException:
        give_up(connection, sent.id)
        raise
    return sent.id


def give_up(connection: Connection, upload: str) -> None:
    """Let the ladder remove what has arrived, if it answers; else it does so after a while."""
    with contextlib.suppress(LadderError, RemoteError):
        connection.send("DELETE", f"/uploads/{upload}", type(None))


def _send(connection: Connection, sent: Upload, file: BinaryIO) -> Upload | None:
    """Send the next piece; None: the connection broke."""
    file.seek(sent.offset)
    place = {"Upload-Offset": str(sent.offset)}
    try:
        return connection.send("PATCH", f"/uploads/{sent.id}", Upload, data=file.read(PIECE), headers=place)
    except LadderError:  # perhaps only because the last piece did arrive, and its answer was lost
        now = connection.get(f"/uploads/{sent.id}", Upload)
        if now.offset == sent.offset:
            raise
        return now
    except RemoteError:
        return None


def _arrived(connection: Connection, sent: Upload) -> Upload:
    """Find how much has arrived; as much as was known, if the ladder does not say."""
    try:
        return connection.get(f"/uploads/{sent.id}", Upload)
    except RemoteError:
        return sent
