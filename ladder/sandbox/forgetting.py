"""
One control group above all containers of ours, and how the kernel is made to forget what they looked up.

The kernel remembers each name that was looked up in vain, on the disk that all containers of an image share: the next
container finds out by the time of a look-up what the one before asked for. What the kernel keeps for a container is
counted in its group, and in the group above when the container is gone; there it can be given back (docs/adr/0014).
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from ladder.sandbox.control_group import GROUPS

PARENTS = {"cgroupfs": "/pigpen", "systemd": "pigpen.slice"}
"""How the group is called, by the engine's way to make groups."""

_REST = b"1T"
"""More than there is: give back whatever can be given back."""


def parent_group(driver: str) -> str | None:
    """Name the group above our containers to an engine; None: that engine makes groups in a way we do not know."""
    return PARENTS.get(driver)


def forget(driver: str, groups: Path = GROUPS) -> bool:
    """
    Let the kernel give back the memory that it keeps for our containers without need.

    Returns:
        Whether it could be asked; that needs root, and control groups v1, or v2 with Linux 5.19.
    """
    name = (parent_group(driver) or "").lstrip("/")
    first, second = groups / "memory" / name / "memory.force_empty", groups / name / "memory.reclaim"
    if not name:
        return False
    if first.exists():
        # Nothing is to be swapped out for it.
        return _write(first.with_name("memory.swappiness"), b"0") and _write(first, b"0")
    return _write(second, _REST + b" swappiness=0") or _write(second, _REST)


def _write(file: Path, text: bytes) -> bool:
    try:
        with file.open("wb", buffering=0) as group, suppress(BlockingIOError):  # less was given back: all there was
            group.write(text)
    except OSError:
        return False
    return True
