"""
How often a program looks for garbage.

Importing is most of what a short command does, and of what it makes then next to nothing is ever given back. With
Python's own numbers a third of the time to start and end `pigpen serve` went into looking at all of it again and again.
"""

from __future__ import annotations

import atexit
import gc

NEW_OBJECTS = 20_000
"""Python's own number is 700. Garbage of so many objects takes a few megabytes."""


def look_for_garbage_rarely() -> None:
    """For a program, at its beginning: look for garbage less often, and not once more at the end."""
    gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])
    atexit.register(gc.freeze)
