"""
A sketch of the bot's end of a wire without gRPC: the same messages on a Unix socket, with their length before each.

It has no limits and refuses nothing: it is measured, and no part of the SDK. The module is copied into a bot's folder.
"""

from __future__ import annotations

import contextlib
import socket
import struct
from typing import TYPE_CHECKING

from pigpen.v1.referee_pb2 import RefereeMessage

if TYPE_CHECKING:
    from typing import Self

    from pigpen.v1.referee_pb2 import BotMessage

HEADER = struct.Struct("<I")
"""The length of the message that follows, in bytes."""
CHUNK = 1 << 16


class FramedStream:
    """Takes the place of `pigpen.wire.blocking_stream.BlockingStream`."""

    def __init__(self, address: str, _: object, hello: BotMessage) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(address.removeprefix("unix:"))
        self._data = b""
        self.write(hello)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def read(self) -> RefereeMessage | None:
        """Wait for the next message; None: the referee has closed the connection."""
        while True:
            end = HEADER.size + (HEADER.unpack_from(self._data)[0] if len(self._data) >= HEADER.size else 0)
            if HEADER.size < end <= len(self._data):
                message, self._data = self._data[HEADER.size : end], self._data[end:]
                return RefereeMessage.FromString(message)
            if not (data := self._socket.recv(CHUNK)):
                return None
            self._data += data

    def write(self, message: BotMessage) -> None:
        """Send a message."""
        data = message.SerializeToString()
        self._socket.sendall(HEADER.pack(len(data)) + data)

    def done_writing(self) -> None:
        """Say that nothing more will be sent."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
