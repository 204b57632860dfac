"""Breaks its stream when it is asked for the first time, comes back at once, and plays on."""

from __future__ import annotations

import time

from tests.bad_bots.frames import connect
from tests.bad_bots.honest import report
from tests.bad_bots.line import enter
from tests.ladder.sandbox.docker.probe import attempt

line = enter()
first = next(line.requests())
line.leave()
while attempt(lambda: connect().close()):
    time.sleep(0.01)
line = enter()
again = next(line.requests())
report({"asked again": again.decision == first.decision and again.view == first.view})
line.send(line.honest(again))
line.play_on()
