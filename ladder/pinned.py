"""From what the ladder knows of a version back to the program: exactly what was entered, or none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ladder.bots import BotSource
from ladder.sandbox.base import BotRejected, SandboxError

if TYPE_CHECKING:
    from ladder.sandbox.base import Program, Sandbox


class PinnedBot(Protocol):
    """A version, and where to find it."""

    @property
    def name(self) -> str:
        """What errors call it."""

    @property
    def identity(self) -> str:
        """`Program.identity` of what was entered."""

    @property
    def pinned(self) -> str | None:
        """Where an engine that lacks the image gets it: ``registry/name@sha256:…``; None: nowhere."""

    @property
    def folder(self) -> str | None:
        """Absolute path of the kept folder, in the process sandbox."""


async def load_version(sandbox: Sandbox, bot: PinnedBot) -> Program:
    """
    Make a version ready to start: its image, pulled by digest if this engine lacks it, or its kept folder.

    Raises:
        SandboxError: If it is not to be had, or is not what was entered; that says nothing about the bot.
    """
    if bot.folder is not None:
        program = await _load(sandbox, BotSource(bot.name, folder=Path(bot.folder)))
    else:
        program = await _load_image(sandbox, bot)
    if program.identity != bot.identity:
        raise SandboxError(
            f"{bot.folder or bot.pinned} is not what was entered as {bot.name}: it is {program.identity}, and not "
            f"{bot.identity}. Put back what was there, or submit the bot again."
        )
    return program


async def _load_image(sandbox: Sandbox, bot: PinnedBot) -> Program:
    try:
        return await sandbox.load(BotSource(bot.name, image=bot.identity))
    except BotRejected as error:
        if bot.pinned is None:
            raise SandboxError(
                f"The image of {bot.name} ({bot.identity}) is not on this engine, and was in no registry when it was "
                "entered. Build or load it again, or retire the bot."
            ) from error
    return await _load(sandbox, BotSource(bot.name, image=bot.pinned))


async def _load(sandbox: Sandbox, source: BotSource) -> Program:
    try:
        return await sandbox.load(source)
    except (BotRejected, OSError) as error:
        raise SandboxError(f"{source.name}, which was entered once, cannot be loaded any more: {error}") from error
