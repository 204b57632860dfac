"""Opens as many connections as it can and keeps them; then it takes its seat, if it left itself any room."""

from __future__ import annotations

import contextlib
import resource

import pigpen
from tests.bad_bots.frames import begin
from tests.bad_bots.honest import Honest

most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
kept = []
for _ in range(most - 50):  # the rest is for playing
    with contextlib.suppress(OSError):
        kept.append(begin())
pigpen.run(Honest())
