"""A bot's end of the stream by the blocking stubs of gRPC, which have two threads; copied into a bot's folder."""

from __future__ import annotations

import queue
from typing import TYPE_CHECKING

import grpc

from pigpen.v1.referee_pb2 import BotMessage, RefereeMessage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Self

METHOD = "/pigpen.v1.Referee/Play"


class StubStream:
    """Takes the place of `pigpen.wire.blocking_stream.BlockingStream`."""

    def __init__(self, address: str, options: Sequence[tuple[str, int]], hello: BotMessage) -> None:
        self._channel = grpc.insecure_channel(address, options=options)
        self._answers: queue.SimpleQueue[BotMessage | None] = queue.SimpleQueue()
        self.write(hello)
        play: Callable[[Iterator[BotMessage]], Iterator[RefereeMessage]] = self._channel.stream_stream(
            METHOD, BotMessage.SerializeToString, RefereeMessage.FromString
        )
        self._questions = play(iter(self._answers.get, None))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._answers.put(None)
        self._channel.close()

    def read(self) -> RefereeMessage | None:
        """Wait for the next message; None: the referee has ended the stream."""
        return next(self._questions, None)

    def write(self, message: BotMessage) -> None:
        """Send a message."""
        self._answers.put(message)

    def done_writing(self) -> None:
        """Say that nothing more will be sent."""
        self._answers.put(None)
