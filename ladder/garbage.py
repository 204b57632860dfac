"""
How often Python's garbage collector runs in a program.

A short command mostly imports modules, and objects made by imports are hardly ever garbage. With
Python's default threshold, the collector took a third of the time to start and end `pigpen serve`.
"""

from __future__ import annotations

import atexit
import gc

NEW_OBJECTS = 20_000
"""New objects after which garbage is collected; they take a few megabytes. Python's own number is 700."""


def look_for_garbage_rarely() -> None:
    """Run the garbage collector less often, and not at exit; call it when a program begins."""
    gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])
    atexit.register(gc.freeze)
