"""Names of container runtimes, and the memory that containers are given by default."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

LOCKED_BYTES = 512 * 1024 * 1024
"""The largest image whose files are kept in memory while it plays, by default."""


WARM_BYTES = 1024 * 1024 * 1024
"""Memory that warm containers without an instance may have together, by default."""

AUTO = "auto"
"""As a runtime: `GVISOR` where the engine knows it, else `SHARED`."""
GVISOR, SHARED = "runsc", "runc"
"""Names in engines of gVisor's runtime, and of the usual one, under which all containers share the host's kernel."""
OWN_KERNEL = (GVISOR, "kata")
"""Beginnings of the names of runtimes that put a kernel between each container and the host's."""


def has_own_kernel(runtime: str) -> bool:
    """Tell whether a container has a kernel to itself: what it finds in /proc and in the page cache is its own."""
    return runtime.startswith(OWN_KERNEL)


def chosen_runtime(wanted: str, known: Collection[str], gvisor: str = GVISOR) -> str:
    """
    Choose the runtime of containers.

    Args:
        wanted: A name, or `AUTO`.
        known: What the engine knows.
        gvisor: How it calls gVisor's.
    """
    if wanted != AUTO:
        return wanted
    return gvisor if gvisor in known else SHARED
