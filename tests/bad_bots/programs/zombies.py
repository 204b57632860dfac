"""Leaves dead children unburied, and orphans, until there is no room for more."""

from __future__ import annotations

import os

from tests.bad_bots.honest import play_with
from tests.ladder.probe import attempt
from tests.ladder.system_calls import named


def multiply() -> None:
    for _ in range(1000):
        if os.fork() == 0:
            os._exit(0)


def abandon() -> dict[str, object]:
    for _ in range(100):
        child = os.fork()
        if child == 0:
            os.fork()
            os._exit(0)
        os.waitpid(child, 0)
    return {"unburied": named(attempt(multiply))}


play_with(abandon)
