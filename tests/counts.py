"""How often the longest tests repeat what they do: rarely for each push, often for `make test-long`."""

from __future__ import annotations

import os

LONG = os.environ.get("PIGPEN_TEST_LONG") == "1"
"""Whether this is a run of `make test-long`, which runs the tests marked `long`, and them alone."""


def count(short: int, long: int) -> int:
    """*short*, or *long* in a run of `make test-long`. A test that uses it is marked `long`."""
    return long if LONG else short
