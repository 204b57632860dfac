"""
Memory of the kernel that is reclaimed between tables, so that no container learns what earlier ones looked up.

The kernel remembers each name that was looked up and not found, on the disk that all containers of an image share: the
next container could tell by the time of a look-up. This memory is counted in the container's control group, and in the
group above when the container is gone; there it can be reclaimed (docs/adr/0014-what-containers-share.md).
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
"""Name of the group above our containers, by the engine's cgroup driver."""

MAX_SECONDS = 5.0
"""The most seconds that a table's start waits; usually it takes 15 to 60 ms."""

_REST = b"1T"
"""More than there is: reclaim everything possible."""


def parent_group(driver: str) -> str | None:
    """Give the name of the group above our containers; None if the cgroup driver is unknown."""
    return PARENTS.get(driver)


def start_reclaim(driver: str) -> Future[bool]:
    """Call `reclaim_memory` in a thread of its own: running containers may keep it busy for long."""
    done: Future[bool] = Future()
    Thread(target=lambda: done.set_result(reclaim_memory(driver)), name="reclaim", daemon=True).start()
    return done


def wait_for_reclaim(reclaimed: Future[bool], seconds: float = MAX_SECONDS) -> None:
    """Wait until the memory is reclaimed, at most *seconds* seconds."""
    try:
        reclaimed.result(seconds)
    except TimeoutError:
        log.warning("names.remembered", seconds=seconds)


def reclaim_memory(driver: str, groups: Path = GROUPS) -> bool:
    """
    Let the kernel reclaim the memory that it keeps for our containers without need.

    Returns:
        Whether it could be asked; that needs root, and control groups v1, or v2 with Linux 5.19.
    """
    name = (parent_group(driver) or "").lstrip("/")
    first, second = groups / "memory" / name / "memory.force_empty", groups / name / "memory.reclaim"
    if not name:
        return False
    # With cgroup v1, nothing is to be swapped out for it.
    if _write(first.with_name("memory.swappiness"), b"0") and _write(first, b"0"):
        return True
    return _write(second, _REST + b" swappiness=0") or _write(second, _REST)


def _write(file: Path, text: bytes) -> bool:
    try:
        group = os.open(file, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        with suppress(BlockingIOError):  # less was reclaimed: all there was
            os.write(group, text)
    except OSError:
        return False
    finally:
        os.close(group)
    return True
