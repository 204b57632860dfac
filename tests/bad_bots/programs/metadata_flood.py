"""Sends metadata without end in one stream's headers, until the referee has enough; then plays."""

from __future__ import annotations

from tests.bad_bots.frames import CONTINUATION, begin, field, flood, frame, headers
from tests.bad_bots.honest import play_after


def talk() -> dict[str, object]:
    connection = begin()
    connection.sendall(headers(1, flags=0))
    flood(connection, frame(CONTINUATION, field(b"x-more", b"x" * 100) * 100, stream=1))
    return {"closed": True}


play_after(talk)
