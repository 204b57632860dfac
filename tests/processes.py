"""Processes of this machine, as /proc shows them."""

from __future__ import annotations

from pathlib import Path


def children(pid: int) -> list[int]:
    """The processes that *pid* has started and that have not ended, in ascending order."""
    found = (int(path.name) for path in Path("/proc").glob("[0-9]*"))
    return sorted(each for each in found if (fields := _fields(each)) and int(fields[1]) == pid)


def has_ended(pid: int) -> bool:
    """Whether there is no such process, or only its exit code is left of it."""
    return not _fields(pid)


def _fields(pid: int) -> list[str]:
    """What `stat` says after its name; nothing if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
    return [] if fields[0] in "ZX" else fields
