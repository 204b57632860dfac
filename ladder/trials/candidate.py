"""A bot between its submission and the ladder: loaded in its sandbox, pinned, and not yet tried."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import structlog

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.bots.content import Content
from ladder.sandbox.bots.kept import is_content, keep_folder
from ladder.sandbox.host.scratch import scratch_folder
from ladder.sandbox.wheels.packages import with_lock
from ladder.trials import image_facts as images
from ladder.trials.own_images import push
from ladder.values.sandbox_kind import SandboxKind

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from ladder.registry.login import ImagePlace
    from ladder.sandbox.base import Loaded, Sandbox
    from ladder.values.bot_files import Builds

NEEDS_MORE = (
    "needs installed packages (node_modules), which the ladder does not keep of a folder. "
    "Give it a Dockerfile, and enter it in the docker sandbox."
)


NOWHERE = (
    "What is built on one machine of a cluster can be played on none of the others: the ladder has no registry of "
    "images (setting registry)."
)

log = structlog.get_logger()


@dataclass(frozen=True)
class Candidate:
    """A bot that can be tried."""

    program: Loaded
    size: int
    """Bytes."""
    pinned: str | None = None
    """The reference of its image in a registry: ``registry/name@sha256:…``."""
    offered: tuple[str, ...] = ()
    """The variants that it says it plays; empty: it does not say."""
    copy: Path | None = None
    """The copy of its folder from which it is tried, in the process sandbox."""
    content: Content | None = None
    """The content of its folder when it was read; None for an image."""

    async def keep(self, data_dir: Path | None, place: ImagePlace | None = None) -> str | None:
        """
        Put by what the ladder is to play from.

        Args:
            data_dir: The ladder's folder; None: it is on another machine, which keeps the folder of a bot itself, and
                pulls its image from where it is put.
            place: Where in the ladder's registry to put an image that is in none.

        Returns:
            Where a registry has its image; None: none has it, or it is a folder.

        Raises:
            BotRejected: If the bot has changed its folder.
            SandboxError: If the engine fails, or there is no room.
        """
        identity = self.program.identity
        if self.copy is None:
            if data_dir is None:
                return self.pinned or await asyncio.to_thread(push, _place(place), identity)
            await asyncio.to_thread(images.keep, identity)
            return self.pinned or (await asyncio.to_thread(_pushed, place, identity) if place else None)
        assert self.content is not None
        if not is_content(self.copy, identity):
            raise BotRejected(
                "The bot wrote into its own folder while it played, and the ladder plays what was submitted. "
                "Let it write where $HOME or $TMPDIR says."
            )
        if data_dir is not None:
            keep_folder(self.content, data_dir)
        return None


@asynccontextmanager
async def candidate(
    sandbox: Sandbox, source: BotSource, max_bytes: int, builds: Builds = "base"
) -> AsyncIterator[Candidate]:
    """
    Build, pull or copy what was submitted, and look at it; nothing of it runs, unless any build is allowed.

    Args:
        sandbox: Where it is to run.
        source: What was submitted.
        max_bytes: The largest image, or folder, that is taken.
        builds: Which Dockerfiles are built.

    Raises:
        BotRejected: If the ladder does not take it.
        SandboxError: If the sandbox failed.
    """
    if source.folder is not None:
        source = replace(source, content=Content.read(source.folder, max_bytes), builds=builds)
    if sandbox.name is SandboxKind.DOCKER:
        yield await _from_image(sandbox, source, max_bytes)
        return
    try:
        program = await sandbox.load(source)  # what it cannot run, it names by the contestant's own word
    except BotRejected as error:
        if source.content is None or source.content.file("package.json") is None:
            raise
        raise BotRejected(f"{source.name} {NEEDS_MORE}") from error
    assert source.content is not None
    content = with_lock(source.content, program.lock)
    with scratch_folder() as scratch:
        content.write(scratch / "bot")
        yield await _from_copy(sandbox, source.name, content, scratch / "bot")


def _place(place: ImagePlace | None) -> ImagePlace:
    if place is None:
        raise SandboxError(NOWHERE)
    return place


def _pushed(place: ImagePlace, identity: str) -> str | None:
    """Push what was built here; if that fails, the runner of a cluster does it later."""
    try:
        return push(place, identity)
    except SandboxError as error:
        log.warning("image.not_pushed", identity=identity, reason=str(error))
        return None


async def _from_image(sandbox: Sandbox, source: BotSource, max_bytes: int) -> Candidate:
    if source.image is not None:
        await asyncio.to_thread(images.refresh, source.image)
    program = await sandbox.load(source)
    name = source.image or source.name
    facts = await asyncio.to_thread(images.examine, program.identity, name, source.image, max_bytes)
    return Candidate(program, facts.size, facts.pinned, facts.variants, content=source.content)


async def _from_copy(sandbox: Sandbox, name: str, content: Content, copy: Path) -> Candidate:
    try:
        program = await sandbox.load(BotSource(name, folder=copy, content=content))
    except BotRejected as error:
        raise BotRejected(f"{name} {NEEDS_MORE}") from error
    return Candidate(program, content.size, copy=copy, content=content)
