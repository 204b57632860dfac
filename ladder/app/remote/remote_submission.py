"""
Submission of a bot to a remote ladder, which judges the order, takes its folder or image, and has a worker try it.

A folder is packed, and sent piece by piece. Progress is read from a stream, and requested where no stream gets through.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
import tempfile
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, cast

import pydantic
import urllib3.exceptions

from ladder.entry.folders import check_folder
from ladder.errors import LadderError, RemoteError, SandboxError
from ladder.sandbox.host.scratch import disk_errors
from ladder.values.submission import RegistryPlace, SubmissionRow, SubmissionTerms, Upload, UploadOrder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    import requests

    from ladder.app.local.progress import Progress, SubmissionObserver
    from ladder.app.remote.connection import Connection
    from ladder.app.remote.login import Login
    from ladder.sandbox.bots.bot_source import BotSource
    from ladder.sandbox.bots.content import Content
    from ladder.values.submission import SubmissionOrder

    ShowPush = Callable[[str], AbstractContextManager[Callable[[str], None]]]
    """`SubmissionObserver.pushing`."""

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


POLL = 2.0
"""Seconds between two questions where there is no stream."""
FOLLOW_TRIES = 20
"""Requests in a row that the ladder may leave without an answer; each of them takes some seconds."""
MAX_EVENT = 16 * 1024**2
"""Bytes of an event."""
AT_ONCE = 64 * 1024
CONTINUES = (
    "Submission {0} continues without this command. To see it: pigpen submissions {0}. To withdraw it: pigpen "
    "submissions {0} --withdraw. Ctrl-C again ends this command."
)
_ROW = pydantic.TypeAdapter(SubmissionRow)


def follow(connection: Connection, number: int, wait: Callable[[float], None] = time.sleep) -> Iterator[SubmissionRow]:
    """
    Give a submission each time that it has come further; the last one has ended.

    Raises:
        LadderError: If the ladder does not show it any more.
        RemoteError: If the ladder does not answer for long.
    """
    failures = 0
    while True:
        try:
            for row in _streamed(connection, number):
                failures = 0
                yield row
                if row.finished is not None:
                    return
        except RemoteError:
            pass
        try:
            row = connection.get(f"/submissions/{number}", SubmissionRow)
            failures = 0
        except RemoteError as error:
            failures += 1
            if failures >= FOLLOW_TRIES:
                raise RemoteError(f"{error} It continues there. To see it: pigpen submissions {number}") from None
        else:
            yield row
            if row.finished is not None:
                return
        wait(POLL)


def _streamed(connection: Connection, number: int) -> Iterator[SubmissionRow]:
    try:
        with connection.stream(f"/submissions/{number}/stream") as found:
            for line in _lines(found):
                if line.startswith(b"event: stop"):
                    return
                if line.startswith(b"data:"):
                    yield _ROW.validate_json(line.removeprefix(b"data:"), extra="ignore")
    except pydantic.ValidationError:
        raise RemoteError(
            f"{connection.address} sent progress of submission {number} that this version of Pigpen cannot read."
        ) from None


def _lines(found: requests.Response) -> Iterator[bytes]:
    """Yield the lines of a stream as they come: `requests` would wait until it has more of them."""
    rest = b""
    while piece := found.raw.read1(AT_ONCE):
        *lines, rest = (rest + piece).split(b"\n")
        yield from (line.rstrip(b"\r") for line in lines)
        if len(rest) > MAX_EVENT:
            raise urllib3.exceptions.HTTPError("an event has no end")


def submit(
    connection: Connection, login: Login, order: SubmissionOrder, source: BotSource, observer: SubmissionObserver
) -> SubmissionRow:
    """
    Send an order and its bot, and wait until the submission has ended.

    Args:
        connection: The ladder.
        login: The owner of the bot.
        order: What is submitted; its image as this machine's engine, or the ladder's registry, names it.
        source: Where the bot is on this machine.
        observer: Shows how much has been sent, and then how far the submission has come.

    Returns:
        The submission as it has ended.

    Raises:
        BotRejected: If its folder cannot be read, or the ladder does not build it; nothing has been sent.
        LadderError: If the ladder does not take it, or does not show it any more.
        RemoteError: If the ladder does not answer.
        SandboxError: If this machine's engine fails.
    """
    terms = connection.send("POST", "/submissions/check", SubmissionTerms, order)
    if order.image is not None:
        there = name_in_registry(connection, login, order.image, observer.pushing)
        row = connection.send("POST", "/submissions", SubmissionRow, order.model_copy(update={"image": there}))
    else:
        assert source.folder is not None
        content = check_folder(source.folder, source.name, terms)
        row = _submitted(connection, order, _sent(connection, content, observer.progress))
    return _ended(connection, row, observer)


def _submitted(connection: Connection, order: SubmissionOrder, sent: str) -> SubmissionRow:
    try:
        return connection.send("POST", "/submissions", SubmissionRow, order.model_copy(update={"upload": sent}))
    except LadderError:
        give_up(connection, sent)
        raise


def _ended(connection: Connection, row: SubmissionRow, observer: SubmissionObserver) -> SubmissionRow:
    """Follow a submission to its end; the first Ctrl-C only says that it continues without this command."""
    is_warned = False
    while True:
        try:
            for now in follow(connection, row.id):
                observer.moved(now)
            return now
        except KeyboardInterrupt:
            if is_warned:
                raise
            is_warned = True
            observer.say(CONTINUES.format(row.id))


def name_in_registry(connection: Connection, login: Login, image: str, show_push: ShowPush) -> str:
    """Push an image of this machine's engine; one that is in the ladder's registry already is taken as it is."""
    from ladder.app.remote.pushing import is_on_engine, push_image  # a folder needs no engine

    place = connection.get("/registry", RegistryPlace)
    try:
        is_here = not image.startswith(f"{place.address}/") and is_on_engine(image)
    except SandboxError:  # without an engine, an owner can submit what was pushed from another machine
        is_here = False
    if not is_here:
        return image
    with show_push(image) as tell:
        return push_image(connection, login, image, None, tell)


def _sent(connection: Connection, content: Content, progress: Progress) -> str:
    """Send a folder; gives the upload's id."""
    with packed(content) as (file, size), progress("uploading", -(-size // PIECE)) as advance:
        return upload(connection, file, size, lambda: advance("uploading"))
