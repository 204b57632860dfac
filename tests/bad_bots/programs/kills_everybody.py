"""Sends SIGKILL to every process that it may, and to the first one by name."""

from __future__ import annotations

import os
import signal

from tests.bad_bots.honest import play_after
from tests.ladder.sandbox.docker.probe import attempt
from tests.ladder.sandbox.docker.system_calls import named


def kill_all() -> dict[str, object]:
    return {
        "everybody": named(attempt(lambda: os.kill(-1, signal.SIGKILL))),
        "the first": named(attempt(lambda: os.kill(1, signal.SIGKILL))),
        "alive": os.path.exists("/proc/1"),
    }


play_after(kill_all)
