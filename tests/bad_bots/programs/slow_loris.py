"""Begins to speak HTTP/2 a byte at a time, until the referee has enough; then plays."""

from __future__ import annotations

import time

from tests.bad_bots.frames import PREFACE, connect
from tests.bad_bots.honest import play_after


def dawdle() -> dict[str, object]:
    connection = connect()
    try:
        for byte in PREFACE:
            connection.send(bytes([byte]))
            time.sleep(1)
    except BrokenPipeError:
        return {"closed": True}
    return {"closed": False}


play_after(dawdle)
