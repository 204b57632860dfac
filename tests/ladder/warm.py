"""Warm containers for tests: an image of ours that runs whatever program lies in its seat's folder."""

from __future__ import annotations

import tempfile
import uuid
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.bots.content import archive
from ladder.sandbox.docker.built_images import FILES_ONLY, RECIPE_LABEL, REPOSITORY
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.image_build import build_image
from ladder.sandbox.docker.starter import WarmInstance

if TYPE_CHECKING:
    from collections.abc import Callable

    from docker import DockerClient

    from ladder.sandbox.base import Exit, Program, SeatMount
    from ladder.sandbox.docker.limits import Limits

MakeMount = Callable[[str], "SeatMount"] if TYPE_CHECKING else object
TAG = f"{REPOSITORY}:test-warm"
DOCKERFILE = """
ARG BASE
FROM ${BASE}
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
CMD ["python", "/run/pigpen/seat/program.py"]
"""


def build(client: DockerClient, base: str, tag: str = TAG, dockerfile: str = DOCKERFILE) -> BotSource:
    """Make an image that instances are forked from, on an image with Python."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "Dockerfile").write_text(dockerfile)
        labels = {RECIPE_LABEL: FILES_ONLY}
        build_image(client, archive(Path(name)), tag=tag, labels=labels, arguments={"BASE": base})
    return BotSource("program", image=tag)


def warm_sandbox(limits: Limits | None = None, clear_seconds: float = 250.0, runtime: str = "runc") -> DockerSandbox:
    """A sandbox that forks, and throws no container away because the machine is busy."""
    return DockerSandbox(runtime, limits, instances="warm", clear_seconds=clear_seconds)


class Forked:
    """Runs instances one after the other, each for deals of its own."""

    def __init__(self, program: Program, make_mount: Callable[[str], SeatMount]) -> None:
        self._program = program
        self._make_mount = make_mount

    async def start(self, source: str, deals: str | None = None) -> WarmInstance:
        """Start one; without *deals* it sees others than all before it."""
        mount = replace(self._make_mount(source), deals=deals or str(uuid.uuid4()))
        instance = await self._program.start(mount)
        assert isinstance(instance, WarmInstance)
        return instance

    async def run(self, source: str, deals: str | None = None) -> tuple[str, Exit, str]:
        """Run one to its end: the name of its container, how it ended, and what it wrote."""
        instance = await self.start(source, deals)
        end = await instance.wait()
        await instance.stop()
        return instance.name, end, await instance.log_tail()
