"""Fills /tmp and /dev/shm with bytes."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.bad_bots.honest import play_with
from tests.ladder.sandbox.docker.probe import attempt
from tests.ladder.sandbox.docker.system_calls import named


def fill(folder: str) -> None:
    for number in range(100):
        (Path(folder) / str(number)).write_bytes(bytes(1 << 20))


def fill_all() -> dict[str, object]:
    return {folder: named(attempt(partial(fill, folder))) for folder in ("/tmp", "/dev/shm")}


play_with(fill_all)
