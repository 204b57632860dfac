"""Leaves 500 grandchildren, more than there is room for unless exited ones are reaped; reaps no children itself."""

from __future__ import annotations

import os
import time

from tests.bad_bots.honest import play_after


def fork() -> int:
    """A child, as soon as there is room for one."""
    while True:
        try:
            return os.fork()
        except BlockingIOError:
            time.sleep(0.01)


def abandon() -> dict[str, object]:
    for _ in range(500):
        if child := fork():
            os.waitpid(child, 0)
        else:
            fork()
            os._exit(0)
    for _ in range(30):
        if fork() == 0:
            os._exit(0)
    return {"abandoned": 500}


play_after(abandon)
