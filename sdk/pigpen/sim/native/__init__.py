"""
The accelerated engine: a small library in C that samples and plays out deals as the Python code does, only faster.

`engine()` is None if there is none for this machine, or if PIGPEN_PURE=1 is in the environment; then the Python code
does the work. docs/adr/0012-a-library-without-a-language.md gives the reasons.
"""

from __future__ import annotations

import os
import platform
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pigpen.sim.native.binding import Engine

__all__ = ["engine", "library", "same_engine"]

OTHER_ENGINE = (
    "This was pickled while it used an accelerated engine that does not run here: another version's, or none runs here "
    "(docs/learn.md, Copies). Make it anew."
)


def library(machine: str) -> Path:
    """Return the path of the library for a machine, such as ``x86_64``; there may be no such file."""
    return Path(__file__).parent / f"engine-{machine}.so"


@cache
def engine() -> Engine | None:
    """Load the accelerated engine; None if it does not run here."""
    file = library(platform.machine())
    if os.environ.get("PIGPEN_PURE") == "1" or not sys.platform.startswith("linux") or not file.is_file():
        return None
    try:
        from pigpen.sim.native.binding import Engine  # ctypes takes a while to import, and may be missing

        return Engine(file)
    except (ImportError, OSError, AttributeError):  # no ctypes, no library, or another version's
        return None


def same_engine(source: str) -> Engine:
    """
    Return the accelerated engine, to use memory that was written by it in another process.

    Args:
        source: The attribute `source` of the engine there: one of other sources may write other memory.

    Raises:
        ValueError: If that engine does not run here.
    """
    found = engine()
    if found is None or source != found.source:
        raise ValueError(OTHER_ENGINE)
    return found
