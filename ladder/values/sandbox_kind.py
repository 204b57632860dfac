"""The kinds of sandboxes, and how one is set up; `ladder.matches.kinds` opens them."""

from __future__ import annotations

import enum
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ladder.values.runtimes import SHARED, WARM_BYTES

if TYPE_CHECKING:
    from referee.records.lines import Instances


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
