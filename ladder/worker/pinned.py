"""From what the ladder knows of a version back to the program: exactly what was entered, or none."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.bots.bot_source import BotSource

if TYPE_CHECKING:
    from ladder.registry.client import RegistryLogin
    from ladder.sandbox.base import Program, Sandbox
    from ladder.worker.tasks import TaskBot


class ProgramLost(SandboxError):
    """The version that was entered does not exist here any more, so that trying again is of no use."""

    def __init__(self, message: str, identity: str) -> None:
        super().__init__(message)
        self.identity = identity
        """Of the version that is lost."""


async def load_version(sandbox: Sandbox, bot: TaskBot) -> Program:
    """
    Make a version ready to start: its image, pulled by digest if this engine lacks it, or its kept folder.

    Raises:
        ProgramLost: If it does not exist any more, or is not what was entered; that is no fault of the bot.
        SandboxError: If the sandbox failed, or the image's registry cannot be reached.
    """
    if bot.folder is not None:
        program = await _load(sandbox, bot, BotSource(bot.name, folder=Path(bot.folder)))
    else:
        program = await _load_image(sandbox, bot)
    if program.identity != bot.identity:
        raise ProgramLost(
            f"{bot.folder or bot.pinned} is not what was entered as {bot.name}: it is {program.identity}, and not "
            f"{bot.identity}. Put back what was there, or submit the bot again.",
            bot.identity,
        )
    return program


async def _load_image(sandbox: Sandbox, bot: TaskBot) -> Program:
    try:
        return await sandbox.load(BotSource(bot.name, image=bot.identity, can_fork=bot.can_fork))
    except BotRejected as error:
        if bot.pinned is None:
            raise ProgramLost(
                f"The image of {bot.name} ({bot.identity}) is not on this engine, and was in no registry when it was "
                "entered. Build or load it again, or retire the bot.",
                bot.identity,
            ) from error
    if bot.registry is not None:
        await _pull(bot, bot.registry, bot.pinned)
    return await _load(sandbox, bot, BotSource(bot.name, image=bot.pinned, can_fork=bot.can_fork))


async def _pull(bot: TaskBot, registry: RegistryLogin, pinned: str) -> None:
    from ladder.trials.trial_images import pull  # an image that is here, or a folder, needs no registry

    try:
        await asyncio.to_thread(pull, registry, pinned)
    except BotRejected as error:
        raise _lost(bot, error) from error


async def _load(sandbox: Sandbox, bot: TaskBot, source: BotSource) -> Program:
    try:
        return await sandbox.load(source)
    except (BotRejected, OSError) as error:
        raise _lost(bot, error) from error


def _lost(bot: TaskBot, error: Exception) -> ProgramLost:
    return ProgramLost(f"{bot.name}, which was entered once, cannot be loaded any more: {error}", bot.identity)
