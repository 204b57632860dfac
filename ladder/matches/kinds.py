"""The kinds of sandboxes, and how each is opened: the one place that knows them all."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from ladder.sandbox.process.process_sandbox import ProcessSandbox

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.sandbox.base import Sandbox


class SandboxKind(enum.StrEnum):
    """Where bots run."""

    DOCKER = "docker"
    """Containers: for strangers' bots."""
    PROCESS = "process"
    """Processes of this user, without isolation."""
    INLINE = "inline"
    """This very process (`ladder.sandbox.inline`): nothing starts, and no clock can stop a bot."""


def open_sandbox(
    kind: SandboxKind,
    runtime: str,
    report: Callable[[str], None] = lambda line: None,
    locked_bytes: int | None = None,
) -> Sandbox:
    """
    Open a sandbox that starts programs.

    Args:
        kind: Docker or process; bots inline need none.
        runtime: The OCI runtime of the docker sandbox.
        report: Takes sentences about long steps.
        locked_bytes: A ladder's setting: a larger image needs gVisor. None: it plays without, if there is none.

    Raises:
        ValueError: If the kind is inline.
    """
    if kind is SandboxKind.PROCESS:
        return ProcessSandbox()
    if kind is SandboxKind.INLINE:
        raise ValueError("bots inline need no sandbox")
    from ladder.sandbox.docker.docker_sandbox import DockerSandbox  # the Docker library takes long to import

    if locked_bytes is None:
        return DockerSandbox(runtime, report=report)
    return DockerSandbox(runtime, report=report, locked_bytes=locked_bytes, refuses_larger=True)
