"""Plays honestly, and takes its seat late."""

from __future__ import annotations

import time

import pigpen
from tests.bad_bots.honest import Honest

LATE = 15.0
"""Seconds; on a busy machine the containers of a table start one long after the other."""

if __name__ == "__main__":
    time.sleep(LATE)
    pigpen.run(Honest())
