"""
Limits of the size of a record. Each is far above what a match gives, so that reading a file of any content is bounded.

The longest matches that are played here, 10,000 deals, or 1,000 boards at 8 seats, give 10,002 lines and 45 MB. A deal
of 52 cards at 8 seats has 69 steps: 8 passes, 8 exposures, 52 cards and a moon choice. Such a line has less than 10 KB.
"""

from __future__ import annotations

MAX_LINES = 100_000
"""The most lines of a record, the first and the last one among them."""
MAX_BYTES = 512 * 1024**2
"""The most bytes of a record, unpacked."""
LINE_BYTES = 1024**2
"""The most bytes of a line, unpacked, with its line break."""
MAX_DEALS = MAX_LINES - 2
"""The most deals of a match that is recorded."""
MAX_STEPS = 100
"""The most steps of a deal."""
MAX_SEATS = 8
"""The most seats of a table: no rules have more."""
MAX_LEVELS = 200
"""Levels to which lists and objects can be nested in a line at most: the limit of pydantic's JSON parser."""
MAX_DIGITS = 200
"""The most digits of a whole number in a line: Python refuses to write numbers of more than 4,300."""
MAX_SECONDS = 1e9
"""The longest time in a record: 31 years."""
