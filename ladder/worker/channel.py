"""
Messages over a pair of connected Unix sockets: between a coordinator and a worker process, or its cluster's scheduler.

A message is its length in bytes (4 bytes, big-endian), then a line with its kind and the number of the call that it
belongs to, then its body: text, as UTF-8. Nothing is unpickled.
"""

from __future__ import annotations

import asyncio
import enum
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import socket

LENGTH_BYTES = 4
FRAME_BYTES = 128 << 20
"""Bytes of a message at most: an answer holds a record of 64 MiB in base64, and the logs of bots."""
BACKLOG_BYTES = 1 << 20
"""Bytes waiting for the other end from which on nothing is sent that can wait."""


class MessageKind(enum.StrEnum):
    """The kind of a message: PLAY, READY and CANCEL go to the worker, the next six come from it."""

    PLAY = "play"
    """Play the `MatchTask` in the body."""
    READY = "ready"
    """Check whether tasks can be played."""
    CANCEL = "cancel"
    """Give up the call of that number."""
    ANSWER = "answer"
    """The result of the call: a `MatchOutcome`; nothing for READY."""
    FAILURE = "failure"
    """The reason that the call has failed, in a sentence."""
    CANCELLED = "cancelled"
    """The call was given up, and what it had started is cleared away."""
    LOG = "log"
    """A line for the log, as JSON; the number of the call is 0."""
    TRIAL = "trial"
    """The progress of a trial: a `TrialProgress`; the number of the call is 0."""
    PROGRESS = "progress"
    """Only from a computer: how many steps of the call are done, and how many there are; the call's number is 0."""
    LIVE = "live"
    """Events of a match (`live_body`), as lines of JSON without their `id`; the number of the call is 0."""
    PLAY_AT = "play-at"
    """Only to a scheduler: the connection of a worker (`WorkerReport`) in a line, then the task that it is to play."""
    TURN_AWAY = "turn-away"
    """Only to a scheduler: a line with the connection of a worker, then a sentence; the number of the call is 0."""
    FACTS = "facts"
    """Only to a scheduler, from a worker: its `WorkerFacts`."""
    WORKER = "worker"
    """Only from a scheduler: a `WorkerReport`; the number of the call is 0."""
    LOST = "lost"
    """Only from a scheduler: the worker that had the call is lost; why, in a sentence."""
    INVALID = "invalid"
    """Only from a scheduler: what the worker answered to the call can be no answer; why, in a sentence."""


class Frame(NamedTuple):
    """One message."""

    kind: MessageKind
    call: int
    """The coordinator numbers its calls from 1."""
    body: str = ""


class Channel:
    """One end of the connection. Only for the thread of the event loop."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def over(cls, connected: socket.socket) -> Channel:
        """Take over a connected socket."""
        return cls(*await asyncio.open_unix_connection(sock=connected))

    def send(self, message: Frame) -> None:
        """
        Send without waiting; the message is lost if the other end has closed.

        Raises:
            ValueError: If it is longer than a message may be.
        """
        frame = f"{message.kind} {message.call}\n{message.body}".encode()
        _check(len(frame))
        self._writer.write(len(frame).to_bytes(LENGTH_BYTES) + frame)

    @property
    def is_behind(self) -> bool:
        """True if more than `BACKLOG_BYTES` wait for the other end."""
        return self._writer.transport.get_write_buffer_size() > BACKLOG_BYTES

    async def receive(self) -> Frame | None:
        """
        Wait for the next message; None: the other end has closed.

        Raises:
            ValueError: If what comes is no message.
        """
        try:
            length = int.from_bytes(await self._reader.readexactly(LENGTH_BYTES))
            _check(length)
            frame = await self._reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        head, _, body = frame.decode().partition("\n")
        kind, call = head.split(" ")
        return Frame(MessageKind(kind), int(call), body)

    def end(self) -> None:
        """Close the sending side; messages from the other end can still be received."""
        if not self._writer.is_closing():
            self._writer.write_eof()

    async def close(self) -> None:
        """Close the socket, once everything is sent."""
        self._writer.close()
        with suppress(ConnectionError):
            await self._writer.wait_closed()


def live_body(match: int, attempt: int, batch: str) -> str:
    """Give the body of a LIVE message."""
    return f"{match} {attempt}\n{batch}"


def live_events(body: str) -> tuple[int, int, str]:
    """
    Read the body of a LIVE message: match, attempt, and events as lines of JSON.

    Raises:
        ValueError: If it is none.
    """
    head, _, batch = body.partition("\n")
    match, attempt = map(int, head.split(" "))
    return match, attempt, batch


def _check(length: int) -> None:
    if length > FRAME_BYTES:
        raise ValueError(f"a message of {length} bytes is longer than {FRAME_BYTES}")
