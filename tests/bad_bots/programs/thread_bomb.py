"""Starts threads until it cannot any more; then plays."""

from __future__ import annotations

import threading

from tests.bad_bots.honest import play_after


def bomb() -> dict[str, object]:
    enough = threading.Event()
    threads = []
    try:
        while True:
            thread = threading.Thread(target=enough.wait)
            thread.start()
            threads.append(thread)
    except RuntimeError as error:
        enough.set()
        for thread in threads:
            thread.join()  # gRPC aborts the program where it cannot start its own
        return {"in the end": str(error)}


play_after(bomb)
