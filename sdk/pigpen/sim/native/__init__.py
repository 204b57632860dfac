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

from pigpen.version import __version__

if TYPE_CHECKING:
    from pigpen.sim.native.binding import Engine

__all__ = ["engine", "library", "same_engine"]

OTHER_ENGINE = (
    "This was pickled while it used the accelerated engine of pigpen {version}, and that does not run here "
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


def same_engine(version: str) -> Engine:
    """
    Return the accelerated engine, to use memory that was written by it in another process.

    Args:
        version: That of pigpen there: another one may write other memory.

    Raises:
        ValueError: If it does not run here, or is another version's.
    """
    found = engine()
    if found is None or version != __version__:
        raise ValueError(OTHER_ENGINE.format(version=version))
    return found
