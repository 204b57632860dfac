"""Forks, and so does every child, until nobody can any more."""

from __future__ import annotations

import subprocess
import sys

from tests.bad_bots.honest import play_with

BOMB = """
import errno, os, signal
first = os.getpid()
while True:
    try:
        os.fork()
    except OSError as error:
        if os.getpid() == first:
            print(errno.errorcode[error.errno], flush=True)
        signal.pause()
"""


def bomb() -> dict[str, object]:
    process = subprocess.Popen([sys.executable, "-c", BOMB], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return {"in the end": process.stdout.readline().strip()}


play_with(bomb)
