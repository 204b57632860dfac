"""Plays honestly, and takes its seat late."""

from __future__ import annotations

import time

import pigpen
from tests.bad_bots.honest import Honest

LATE = 3.0
"""Seconds."""

if __name__ == "__main__":
    time.sleep(LATE)
    pigpen.run(Honest())
