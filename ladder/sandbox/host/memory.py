"""Bytes: those of this machine, and the most of them that a process has used, where Linux gives it."""

from __future__ import annotations

import os
import re
from pathlib import Path

MIB = 1024 * 1024


def machine_memory() -> int:
    """Give the bytes of memory that this machine has."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def peak_of_process(pid: int) -> int | None:
    """Read the most bytes that process *pid* had in memory; None where that cannot be read."""
    try:
        found = re.search(r"^VmHWM:\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    except OSError:
        return None
    return int(found[1]) * 1024 if found else None
