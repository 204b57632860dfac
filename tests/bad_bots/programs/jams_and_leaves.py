"""Leaves when it is asked for the first time, and does not read what the referee still sends on another connection."""

from __future__ import annotations

import time

from tests.bad_bots.frames import begin, jam
from tests.bad_bots.line import enter

connection = begin()
jam(connection)
line = enter()
next(line.requests())
line.leave()
time.sleep(1000)
