"""Programs of the bots at tables with people: house bots, and the ladder's in sandboxes opened when they are needed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import SandboxError
from ladder.matches.kinds import open_sandbox
from ladder.people.playing import house_program
from ladder.people.playing.house_seats import HOUSE_LIMITS
from ladder.runner.leased_tasks import task_bot
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from ladder.values.sandbox_kind import SandboxKind, SandboxSetup

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ladder.sandbox.base import Program, Sandbox
    from ladder.settings.settings import Settings
    from ladder.store.queries.leased_matches import SeatedVersion


class TablePrograms:
    """Loads versions once. Only for one event loop."""

    def __init__(self, settings: Settings, clock: Callable[[], float]) -> None:
        self._settings = settings
        self._clock = clock
        self._sandboxes: dict[str, Sandbox] = {}
        self._programs: dict[str, Program] = {}
        self._house_sandbox = ProcessSandbox(limits=HOUSE_LIMITS)
        self._house: Program | None = None

    async def house(self) -> Program:
        """
        Make the program ready to start that plays the house bots of a table.

        The first table starts what forks house bots, which takes 20 MiB; it imports while ladder bots are loaded.

        Raises:
            SandboxError: If the sandbox failed.
        """
        await self._house_sandbox.prepare()
        if self._house is None:
            self._house = await self._house_sandbox.load(BotSource("house", folder=Path(house_program.__path__[0])))
        return self._house

    async def load(self, versions: Mapping[int, SeatedVersion]) -> dict[int, Program]:
        """
        Make versions ready to start.

        Raises:
            BotRejected: If one cannot be loaded.
            SandboxError: If the sandbox failed; the next call opens another one.
        """
        try:
            return {number: await self._program(version) for number, version in versions.items()}
        except SandboxError:
            await self._close_sandboxes()
            raise

    async def close(self) -> None:
        """Close all sandboxes, and with them what runs there."""
        await self._close_sandboxes()
        await self._house_sandbox.close()

    async def _close_sandboxes(self) -> None:
        sandboxes, self._sandboxes, self._programs = [*self._sandboxes.values()], {}, {}
        for sandbox in sandboxes:
            await sandbox.close()

    async def _program(self, version: SeatedVersion) -> Program:
        from ladder.worker.pinned import load_version  # takes long, and house bots need none of it

        if version.identity not in self._programs:
            bot = task_bot(version.bot, version, self._settings, self._clock())
            self._programs[version.identity] = await load_version(self._sandbox(bot.sandbox), bot)
        return self._programs[version.identity]

    def _sandbox(self, kind: SandboxKind) -> Sandbox:
        if kind not in self._sandboxes:
            settings = self._settings
            setup = SandboxSetup(kind, settings.runtime, settings.locked_bytes)
            self._sandboxes[kind] = open_sandbox(setup)
        return self._sandboxes[kind]
