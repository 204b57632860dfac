"""HTTP/2 written byte by byte: for programs that break what gRPC's own client would never break."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import struct
import threading

import pigpen
from tests.bad_bots.honest import Honest
from tests.bad_bots.line import PLAY

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 8, 9
END_HEADERS = 4
INITIAL_WINDOW_SIZE = 4

MAX_BYTES = 2**28
"""Bytes that a flood sends on one connection."""

_FIELDS = {
    b":method": b"POST",
    b":scheme": b"http",
    b":path": PLAY.encode(),
    b":authority": b"referee",
    b"content-type": b"application/grpc",
    b"te": b"trailers",
}


def frame(kind: int, payload: bytes = b"", *, flags: int = 0, stream: int = 0) -> bytes:
    """One frame."""
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def field(name: bytes, value: bytes) -> bytes:
    """A header field, neither indexed nor compressed; name and value have at most 126 bytes."""
    return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value


def headers(stream: int, flags: int = END_HEADERS) -> bytes:
    """Give the frame that opens a stream to the referee."""
    fields = b"".join(field(name, value) for name, value in _FIELDS.items())
    return frame(HEADERS, fields, flags=flags, stream=stream)


def message(stream: int, data: bytes) -> bytes:
    """A gRPC message on a stream."""
    return frame(DATA, b"\x00" + struct.pack(">I", len(data)) + data, stream=stream)


def connect() -> socket.socket:
    """A connection on which nothing has been sent."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(os.environ["PIGPEN_ADDRESS"].removeprefix("unix:"))
    return connection


def begin(settings: bytes = b"") -> socket.socket:
    """A connection on which HTTP/2 has begun."""
    connection = connect()
    connection.sendall(PREFACE + frame(SETTINGS, settings))
    return connection


def flood(connection: socket.socket, data: bytes) -> None:
    """Send *data* again and again, `MAX_BYTES` bytes or until the referee hangs up; what it answers is thrown away."""
    connection.setblocking(False)
    left, sent = b"", 0
    with contextlib.suppress(OSError):  # a connection that was reset is closed too
        while sent < MAX_BYTES:
            left = left or data
            select.select([connection], [connection], [])  # who only looked again would keep itself from playing
            with contextlib.suppress(BlockingIOError):
                accepted = connection.send(left)
                left, sent = left[accepted:], sent + accepted
            with contextlib.suppress(BlockingIOError):
                if not connection.recv(65536):
                    return


def jam(connection: socket.socket) -> None:
    """Send what wants answers until nothing moves any more, and never read them."""
    connection.settimeout(1.0)
    with contextlib.suppress(TimeoutError):
        while True:
            connection.sendall(frame(SETTINGS) * 1000)


def play_flooding(*connections: socket.socket, data: bytes) -> None:
    """Take the seat and play honestly while other connections are flooded with *data*."""
    for connection in connections:
        threading.Thread(target=flood, args=[connection, data], daemon=True).start()
    pigpen.run(Honest())


def until_closed(connection: socket.socket) -> None:
    """Read until the referee closes the connection."""
    with contextlib.suppress(ConnectionError):
        while connection.recv(65536):
            pass
