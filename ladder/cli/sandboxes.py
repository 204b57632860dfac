"""The sandboxes as options of the command."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

import typer

from ladder.cli.sanitize import harmless
from ladder.sandbox.process.process_sandbox import ProcessSandbox

if TYPE_CHECKING:
    from ladder.sandbox.base import Sandbox


class SandboxName(enum.StrEnum):
    """Where the bots run."""

    DOCKER = "docker"
    PROCESS = "process"
    INLINE = "inline"


def open_sandbox(name: SandboxName, runtime: str, locked_bytes: int | None = None) -> Sandbox:
    """
    Open the sandbox of that name; a weak one says so.

    Args:
        name: Which one.
        runtime: The OCI runtime of the docker sandbox.
        locked_bytes: A ladder's setting: a larger image needs gVisor. None: it plays without, if there is none.
    """
    if name is SandboxName.PROCESS:
        say("The process sandbox keeps no bot from your files: use it for bots that you trust.")
        return ProcessSandbox()
    from ladder.sandbox.docker.docker_sandbox import (
        DockerSandbox,  # the Docker library takes long to import, and only this needs it
    )

    if locked_bytes is None:
        return DockerSandbox(runtime, report=say)
    return DockerSandbox(runtime, report=say, locked_bytes=locked_bytes, refuses_larger=True)


def say(line: str) -> None:
    """Tell of a step, beside what the command prints."""
    typer.echo(harmless(line), err=True)
