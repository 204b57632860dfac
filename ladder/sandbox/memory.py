"""The most memory that something has used, where Linux tells it."""

from __future__ import annotations

import re
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")


def peak_of_process(pid: int) -> int | None:
    """The most bytes that process *pid* had in memory; None where that cannot be read."""
    try:
        found = re.search(r"^VmHWM:\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    except OSError:
        return None
    return int(found[1]) * 1024 if found else None


def peak_of_group(pid: int, name: str) -> int | None:
    """
    The most bytes that the control group of process *pid* has used; None where that cannot be read.

    The group's path must hold *name*: the engine may run on another machine, where numbers name other processes.
    """
    try:
        lines = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
    except OSError:
        return None
    groups = dict(line.split(":", 2)[1:] for line in lines if name in line)
    if "memory" in groups:
        return _number(GROUPS / "memory" / groups["memory"].lstrip("/") / "memory.max_usage_in_bytes")
    return _number(GROUPS / groups[""].lstrip("/") / "memory.peak") if "" in groups else None


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None
