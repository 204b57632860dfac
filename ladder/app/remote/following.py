"""Progress of a submission to a remote ladder: read from a stream; requested where no stream gets through."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pydantic
import urllib3.exceptions

from ladder.errors import RemoteError
from ladder.values.submission import SubmissionRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import requests

    from ladder.app.remote.connection import Connection

POLL = 2.0
"""Seconds between two questions where there is no stream."""
TRIES = 20
"""Requests in a row that the ladder may leave without an answer; each of them takes some seconds."""
MAX_EVENT = 16 * 1024**2
"""Bytes of an event."""
AT_ONCE = 64 * 1024
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
            if failures >= TRIES:
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
