"""
A bot that starts in a tenth of the time of others: it speaks HTTP/2 and Protocol Buffers by hand, without a library.

For tests of the ladder that need many small matches. It plays the legal card that `CHOICE` says, exposes nothing, and
knows only variants in which no cards are passed. Whatever it does not expect ends it.
"""

import os
import socket
import struct
import sys

CHOICE = 0
"""Place of the card that it plays among its legal cards: 0 the first, -1 the last, 1 the second if there is one."""

DATA, HEADERS, SETTINGS, PING, GOAWAY = 0, 1, 4, 6, 7
ACK = END_STREAM = 1
END_HEADERS = 4
FIELDS = {
    b":method": b"POST",
    b":scheme": b"http",
    b":path": b"/pigpen.v1.Referee/Play",
    b":authority": b"referee",
    b"content-type": b"application/grpc",
    b"te": b"trailers",
}
PLAYING = 3
"""The phase in which a card is played."""


def frame(kind: int, payload: bytes = b"", flags: int = 0, stream: int = 0) -> bytes:
    """One HTTP/2 frame."""
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def message(payload: bytes) -> bytes:
    """One gRPC message in a frame."""
    return frame(DATA, b"\0" + struct.pack(">I", len(payload)) + payload, stream=1)


def number(value: int) -> bytes:
    """A varint."""
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def text(field: int, payload: bytes) -> bytes:
    """A field that holds bytes."""
    return number(field << 3 | 2) + number(len(payload)) + payload


def fields(data: bytes) -> tuple[dict[int, int], dict[int, bytes]]:
    """The fields of a message by number: those that are numbers, and those that hold bytes."""
    numbers: dict[int, int] = {}
    texts: dict[int, bytes] = {}
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte, at = data[at], at + 1
            value, shift = value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value

    while at < len(data):
        field, kind = divmod(varint(), 8)
        if kind == 0:
            numbers[field] = varint()
            continue
        size = {1: 8, 5: 4}.get(kind) or varint()
        texts[field], at = data[at : at + size], at + size
    return numbers, texts


def answer(request: bytes) -> bytes:
    """Give the answer to a request."""
    numbers, texts = fields(request)
    phase, view = fields(texts[2])
    decision = number(1 << 3) + number(numbers[1])
    if phase[1] != PLAYING:
        return text(2, decision + text(4, b""))
    legal = view[5]
    card = legal[CHOICE if -len(legal) <= CHOICE < len(legal) else 0]
    return text(2, decision + number(2 << 3) + number(card))


def main() -> None:
    """Play the match."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(os.environ["PIGPEN_ADDRESS"].removeprefix("unix:"))
    incoming = connection.makefile("rb")
    hello = number(1 << 3) + number(1) + text(2, os.environ["PIGPEN_TOKEN"].encode()) + text(3, b"quick")
    head = b"".join(b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value for name, value in FIELDS.items())
    opening = frame(SETTINGS) + frame(HEADERS, head, END_HEADERS, 1)
    connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + opening + message(text(1, hello)))
    received = b""
    while True:
        first = incoming.read(9)
        if len(first) < 9:
            sys.exit("the referee has left")
        kind, flags = first[3], first[4]
        payload = incoming.read(int.from_bytes(first[:3], "big"))
        if kind in (SETTINGS, PING) and not flags & ACK:
            connection.sendall(frame(kind, payload if kind == PING else b"", ACK))
        elif kind == GOAWAY:
            sys.exit("the referee hangs up")
        elif kind == DATA:
            received += payload
            while len(received) >= 5 and len(received) >= (size := 5 + int.from_bytes(received[1:5], "big")):
                (_, decoded), received = fields(received[5:size]), received[size:]
                if 2 in decoded:
                    connection.sendall(message(answer(decoded[2])))
                elif 5 in decoded:
                    connection.sendall(frame(DATA, b"", END_STREAM, 1))
                    return


main()
