"""Seeds that a test draws in its own process follow from its name: it decides in each run what it did before."""

from __future__ import annotations

import os
from hashlib import shake_256
from itertools import count

OTHERS = os.environ.get("PIGPEN_TEST_SEEDS", "")
"""Any text: with another, tests draw other seeds."""


class SeedsOfTests:
    """In place of `secrets.token_bytes` where seeds are made."""

    def __init__(self) -> None:
        self.begin("")

    def begin(self, test: str) -> None:
        """Draw for the test of that name from now on."""
        self._test, self._drawn = test, count()

    def __call__(self, length: int) -> bytes:
        return shake_256(f"{OTHERS}\n{self._test}\n{next(self._drawn)}".encode()).digest(length)
