"""Starts threads until it cannot any more."""

from __future__ import annotations

import threading

from tests.bad_bots.honest import play_with


def bomb() -> dict[str, object]:
    never = threading.Event()
    try:
        while True:
            threading.Thread(target=never.wait, daemon=True).start()
    except RuntimeError as error:
        return {"in the end": str(error)}


play_with(bomb)
