"""Bytes, and the most of them that a process has used, where Linux gives it."""

from __future__ import annotations

import re
from pathlib import Path

MIB = 1024 * 1024


def peak_of_process(pid: int) -> int | None:
    """Read the most bytes that process *pid* had in memory; None where that cannot be read."""
    try:
        found = re.search(r"^VmHWM:\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    except OSError:
        return None
    return int(found[1]) * 1024 if found else None
