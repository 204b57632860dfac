"""Sends metadata without end in one stream's headers, as long as the referee lets it."""

from __future__ import annotations

from tests.bad_bots.frames import CONTINUATION, begin, field, flood, frame, headers

connection = begin()
connection.sendall(headers(1, flags=0))
flood(connection, frame(CONTINUATION, field(b"x-more", b"x" * 100) * 100, stream=1))
