"""
Clock settings as people type them.

A bot's clock is written 60+0.1: 60 s in the bank and 0.1 s more for each decision. For a person at a table there are
only limits of the seconds for each decision.
"""

from __future__ import annotations

import re

from pigpen.values.notices import ClockSetting
from referee.match.formats import DEFAULT_CLOCK
from referee.records.framing import shortened

DEFAULT_CLOCK_TEXT = f"{DEFAULT_CLOCK.bank:g}+{DEFAULT_CLOCK.increment:g}"
MAX_SECONDS = 1_000_000
MIN_LIMIT, MAX_LIMIT = 0.001, 3600
"""Seconds that one decision may be given."""
MAX_START_UP = 60.0
"""Seconds that a bot may have to take its seat."""
NO_CLOCK = ClockSetting(bank=MAX_SECONDS, increment=0.0, limit=MAX_SECONDS, start_up=MAX_SECONDS)
"""For programs in a debugger: eleven days for each decision."""
HINT = "write seconds in the bank + seconds for each decision: 60+0.1"


def read_clock(text: str, limit: float) -> ClockSetting:
    """
    Read a clock with *limit* seconds for each decision, and for the start-up of a bot: at least 10, at most 60.

    Raises:
        ValueError: If it is none, gives no time, or too much.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?", text)
    if not found:
        raise ValueError(f"{shortened(text)!r} is not a clock; {HINT}")
    bank, increment = float(found[1]), float(found[2] or 0)
    if bank + increment > MAX_SECONDS:
        raise ValueError(f"The clock {shortened(text)!r} is too long; at most {MAX_SECONDS} seconds.")
    if not bank + increment:
        raise ValueError(f"The clock {shortened(text)!r} leaves no time; {HINT}")
    return ClockSetting(bank, increment, limit, start_up=max(DEFAULT_CLOCK.start_up, min(limit, MAX_START_UP)))


MIN_SECONDS, MAX_PERSON_SECONDS = 5.0, 3600.0
"""For a decision, by the clock on the wall."""
