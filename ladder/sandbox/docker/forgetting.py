"""
One control group above all containers of ours, and how the kernel is made to forget what they looked up.

The kernel remembers each name that was looked up in vain, on the disk that all containers of an image share: the next
container finds out by the time of a look-up what the one before asked for. What the kernel keeps for a container is
counted in its group, and in the group above when the container is gone; there it can be given back (docs/adr/0014).
"""

from __future__ import annotations

import os
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from threading import Thread

import structlog

from ladder.sandbox.docker.control_group import GROUPS

log = structlog.get_logger()

PARENTS = {"cgroupfs": "/pigpen", "systemd": "pigpen.slice"}
"""How the group is called, by the engine's way to make groups."""

MOST_SECONDS = 5.0
"""How long a table's start waits. Usual are 15 to 60 ms."""

_REST = b"1T"
"""More than there is: give back whatever can be given back."""


def parent_group(driver: str) -> str | None:
    """Name the group above our containers to an engine; None: that engine makes groups in a way we do not know."""
    return PARENTS.get(driver)


def begin_to_forget(driver: str) -> Future[bool]:
    """Call `forget` in a thread that holds up nobody: containers that play may give it work without end."""
    done: Future[bool] = Future()
    Thread(target=lambda: done.set_result(forget(driver)), name="forget", daemon=True).start()
    return done


def wait_for(forgotten: Future[bool], seconds: float = MOST_SECONDS) -> None:
    """Wait until the kernel has forgotten, but no longer than so many *seconds*: matches go on."""
    try:
        forgotten.result(seconds)
    except TimeoutError:
        log.warning("names.remembered", seconds=seconds)


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
    # Of the first generation, nothing is to be swapped out for it.
    if _write(first.with_name("memory.swappiness"), b"0") and _write(first, b"0"):
        return True
    return _write(second, _REST + b" swappiness=0") or _write(second, _REST)


def _write(file: Path, text: bytes) -> bool:
    try:
        group = os.open(file, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        with suppress(BlockingIOError):  # less was given back: all there was
            os.write(group, text)
    except OSError:
        return False
    finally:
        os.close(group)
    return True
