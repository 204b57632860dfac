"""The sandboxes as options of the command."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

import typer

from ladder.cli.harmless import harmless
from ladder.sandbox.process import ProcessSandbox

if TYPE_CHECKING:
    from ladder.sandbox.base import Sandbox


class SandboxName(enum.StrEnum):
    """Where the bots run."""

    DOCKER = "docker"
    PROCESS = "process"
    INLINE = "inline"


def open_sandbox(name: SandboxName, runtime: str) -> Sandbox:
    """Open the sandbox of that name; a weak one says so."""
    if name is SandboxName.PROCESS:
        _say("The process sandbox keeps no bot from your files: use it for bots that you trust.")
        return ProcessSandbox()
    from ladder.sandbox.docker import DockerSandbox  # the Docker library takes long to import, and only this needs it

    return DockerSandbox(runtime, report=_say)


def _say(line: str) -> None:
    typer.echo(harmless(line), err=True)
