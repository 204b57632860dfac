"""Waiting for events: a test looks until what it means has happened, and only one that fails waits to the end."""

from __future__ import annotations

import asyncio
import os
import sys
import time
import traceback
from typing import TYPE_CHECKING, TypeVar

from pigpen import ClockSetting

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from types import CodeType

T = TypeVar("T")

PATIENCE = float(os.environ.get("PIGPEN_TEST_PATIENCE", "120"))
"""Seconds after which an event that has not come never comes; `make test-long`, which loads the machine, has more."""
PATIENT = ClockSetting(bank=600.0, increment=1.0, limit=60.0, start_up=60.0)
"""Limits that no honest bot reaches on a busy machine."""


def until(condition: Callable[[], T | None], what: str = "what was waited for", pause: float = 0.01) -> T:
    """Look every *pause* seconds until *condition* holds; return what it gives."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < end, f"{what} did not come within {PATIENCE:g} s"
        time.sleep(pause)
    return found


def is_in(thread: threading.Thread, code: CodeType) -> bool:
    """Tell whether a thread runs a function."""
    frame = sys._current_frames().get(thread.ident or 0)
    return code in {each.f_code for each, _ in traceback.walk_stack(frame)} if frame else False


async def comes(condition: Callable[[], T | None], what: str = "what was waited for") -> T:
    """Do the same as `until` while the event loop runs."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < end, f"{what} did not come within {PATIENCE:g} s"
        await asyncio.sleep(0.005)
    return found
