"""Starts threads until it cannot any more; then plays."""

from __future__ import annotations

import threading

from tests.bad_bots.honest import play_after


def bomb() -> dict[str, object]:
    enough = threading.Event()
    try:
        while True:
            threading.Thread(target=enough.wait).start()
    except RuntimeError as error:
        enough.set()
        return {"in the end": str(error)}


play_after(bomb)
