"""
The interval at which Python's garbage collector runs in a program.

A short command mostly imports modules, and objects made by imports are hardly ever garbage. With
Python's default threshold, the collector took a third of the time to start and end `pigpen serve`.
"""

from __future__ import annotations

import atexit
import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

NEW_OBJECTS = 20_000
"""New objects after which garbage is collected; they take a few megabytes. Python's own number is 700."""


def look_for_garbage_rarely() -> None:
    """Run the garbage collector less often, and not at exit; call it when a program begins."""
    gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])
    atexit.register(gc.freeze)


@contextmanager
def no_garbage() -> Iterator[None]:
    """Collect nothing while modules are imported, and never examine what they made."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
