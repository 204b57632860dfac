"""Work of a given CPU time for bots of benchmarks: no clock inside a container of gVisor shows CPU time."""

from __future__ import annotations

import time
from functools import cache

ROUNDS = 5
LOOPS = 1_000_000


@cache
def loops_per_ms() -> float:
    """Measure the turns of an empty loop that this Python does in a millisecond of CPU time, at its best."""
    return max(_measured() for _ in range(ROUNDS))


def working(millis: float) -> str:
    """Give the line of a bot that works for *millis* milliseconds of CPU time, on this Python."""
    return f"for _ in range({round(millis * loops_per_ms())}): pass"


def _measured() -> float:
    began = time.process_time()
    for _ in range(LOOPS):
        pass
    return LOOPS / (1000 * (time.process_time() - began))
