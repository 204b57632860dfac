"""
Kinds of sandboxes, and the settings with which one is opened.

To the settings belong the names of container runtimes, and the memory that containers are given by default.
`ladder.matches.kinds` opens the sandboxes.
"""

from __future__ import annotations

import enum
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Collection

    from referee.records.lines import Instances

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


class SandboxKind(enum.StrEnum):
    """Kind of sandbox that bots run in."""

    DOCKER = "docker"
    """Containers: for strangers' bots."""
    PROCESS = "process"
    """Processes of this user, without isolation."""
    INLINE = "inline"
    """This very process (`ladder.sandbox.inline`): nothing starts, and no clock can stop a bot."""

    def __repr__(self) -> str:
        """Show it as users write it: pydantic's messages name by it what there is to choose from."""
        return repr(self.value)


WITHOUT_ENGINE = SandboxKind.PROCESS if hasattr(os, "killpg") else SandboxKind.INLINE
"""Sandbox in which trusted bots play without Docker: on Windows no process sandbox works."""
LadderSandbox = Literal[SandboxKind.DOCKER, SandboxKind.PROCESS]
"""Sandboxes in which the bots of a ladder may run."""


@dataclass(frozen=True)
class SandboxSetup:
    """The sandbox to open, and its settings; a kind ignores those that it does not know."""

    kind: SandboxKind
    runtime: str = SHARED
    """The OCI runtime of the docker sandbox; auto: gVisor where the engine knows it."""
    locked_bytes: int | None = None
    """A ladder's setting: a larger image needs gVisor. None: it plays without, if there is none."""
    instances: Instances = "fresh"
    """Start of the bots that can be forked: each anew, or forked, in warm containers or by one process."""
    warm_bytes: int = WARM_BYTES
    """Memory that warm containers without an instance may have together."""
    processes: int = 1
    """Processes on this machine with a sandbox like this one; each uses its share of the memory for what is kept."""
