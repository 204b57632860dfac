"""Makes the referee answer on a connection that it does not read, and keeps it so when the match is over."""

from __future__ import annotations

import time

import pigpen
from tests.bad_bots.frames import begin, jam
from tests.bad_bots.honest import Honest

connection = begin()
jam(connection)
pigpen.run(Honest())
time.sleep(1000)
