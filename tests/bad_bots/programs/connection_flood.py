"""Opens as many connections as it can, keeps them, and takes its seat."""

from __future__ import annotations

import resource
import socket

import pigpen
from tests.bad_bots.frames import begin
from tests.bad_bots.honest import Honest, report
from tests.ladder.probe import attempt
from tests.ladder.system_calls import named

kept: list[socket.socket] = []


def open_all() -> None:
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    while len(kept) < most - 50:  # the rest is for playing
        kept.append(begin())


report({"the last": named(attempt(open_all))})
pigpen.run(Honest())
