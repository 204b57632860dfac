"""Tries to remove, replace, open up and truncate its socket and its folder, and to call the log a second time."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

from tests.bad_bots.honest import play_after
from tests.ladder.sandbox.docker.probe import attempt
from tests.ladder.sandbox.docker.system_calls import named

FOLDER = Path(__file__).parent
SOCKET = FOLDER / "seat.sock"
LOG = FOLDER / "log.sock"


def call_log() -> None:
    """Call once the sandbox has taken the launcher's call: a second caller before that is reset."""
    while LOG.exists():
        time.sleep(0.01)
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(str(LOG))


def tamper() -> dict[str, object]:
    actions: dict[str, Callable[[], object]] = {
        "unlink": SOCKET.unlink,
        "rename": lambda: SOCKET.rename(FOLDER / "other.sock"),
        "chmod": lambda: SOCKET.chmod(0o600),
        "link": lambda: os.link(SOCKET, FOLDER / "other.sock"),
        "bind": lambda: socket.socket(socket.AF_UNIX).bind(str(FOLDER / "other.sock")),
        "mkdir": lambda: (FOLDER / "more").mkdir(),
        "rmdir": FOLDER.rmdir,
        "climb": lambda: (FOLDER / ".." / "other").touch(),
        "log": call_log,
    }
    return {name: named(attempt(action)) for name, action in actions.items()}


play_after(tamper)
