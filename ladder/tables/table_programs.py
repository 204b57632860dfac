"""Programs of the ladder's bots for tables with people, in sandboxes that are opened when they are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.errors import SandboxError
from ladder.matches.kinds import SandboxSetup, open_sandbox
from ladder.runner.leased_tasks import task_bot
from ladder.values.sandbox_kind import SandboxKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ladder.sandbox.base import Program, Sandbox
    from ladder.settings.settings import Settings
    from ladder.store.queries.leased import SeatedVersion


class TablePrograms:
    """Loads versions once. Only for one event loop."""

    def __init__(self, settings: Settings, clock: Callable[[], float]) -> None:
        self._settings = settings
        self._clock = clock
        self._sandboxes: dict[str, Sandbox] = {}
        self._programs: dict[str, Program] = {}

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
            await self.close()
            raise

    async def close(self) -> None:
        """Close all sandboxes, and with them what runs there."""
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
