"""A stream to the referee, written by hand: for programs that send what the SDK never sends."""

from __future__ import annotations

import os
import queue
from collections.abc import Iterator

import grpc

from pigpen.bot import decide
from pigpen.v1.referee_pb2 import BotMessage, RefereeMessage, Request
from pigpen.wire.messages import answer_message, hello_message, view_of, welcome_of
from tests.bad_bots.honest import Honest

PLAY = "/pigpen.v1.Referee/Play"
OPTIONS = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)]
"""Each channel is a connection of its own, and no stream is tried twice."""


def connect() -> grpc.Channel:
    """A new connection to the referee."""
    return grpc.insecure_channel(os.environ["PIGPEN_ADDRESS"], options=OPTIONS)


def hello(token: str = "") -> bytes:
    """A Hello with *token*, or with the seat's own."""
    return hello_message(token or os.environ["PIGPEN_TOKEN"], "bad", "by hand").SerializeToString()


class Line:
    """One stream. What it receives it can answer honestly."""

    def __init__(self, channel: grpc.Channel | None = None) -> None:
        self.channel = channel or connect()
        self._out: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        play: grpc.StreamStreamMultiCallable[bytes, bytes] = self.channel.stream_stream(PLAY)
        self._call = play(iter(self._out.get, None))
        self._honest = Honest()

    def send(self, message: BotMessage | bytes) -> None:
        """Send a message, or bytes that are none."""
        self._out.put(message if isinstance(message, bytes) else message.SerializeToString())

    @property
    def backlog(self) -> int:
        """Number of messages that wait to be sent."""
        return self._out.qsize()

    def receive(self) -> RefereeMessage:
        """The next message; remembers the rules of a welcome."""
        message = RefereeMessage.FromString(next(self._call))
        if message.HasField("welcome"):
            self._rules = welcome_of(message.welcome).rules
        return message

    def requests(self) -> Iterator[Request]:
        """Every question until the match is over."""
        while not (message := self.receive()).HasField("match_over"):
            if message.HasField("request"):
                yield message.request

    def honest(self, request: Request) -> BotMessage:
        """An honest answer."""
        view = view_of(request, self._rules)
        return answer_message(view, decide(self._honest, view))

    def play_on(self) -> None:
        """Answer honestly until the match is over."""
        for request in self.requests():
            self.send(self.honest(request))

    def close(self) -> None:
        """Say that nothing more will be sent."""
        self._out.put(None)

    def leave(self) -> None:
        """Break the stream and the connection."""
        self._call.cancel()
        self.close()
        self.channel.close()

    def refusal(self) -> str:
        """The status with which the referee ends the stream; messages before it are skipped."""
        try:
            for _ in self._call:
                pass
        except grpc.RpcError as error:
            return str(error.code().name)
        return "OK"


def enter() -> Line:
    """Take the seat."""
    line = Line()
    line.send(hello())
    return line
