"""Programs of the bots at tables with people: house bots, and the ladder's in sandboxes opened when they are needed."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field
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
    from collections.abc import AsyncIterator, Callable, Mapping

    from ladder.sandbox.base import Program, Sandbox
    from ladder.settings.settings import Settings
    from ladder.store.queries.leased_matches import SeatedVersion


@dataclass
class _Opened:
    """Sandboxes that were opened together, and what was loaded there."""

    sandboxes: dict[str, Sandbox] = field(default_factory=dict)
    programs: dict[str, Program] = field(default_factory=dict)
    tables: int = 0
    """Number of tables that use them."""

    async def close(self) -> None:
        """Close them, and with them what runs there."""
        sandboxes, self.sandboxes, self.programs = [*self.sandboxes.values()], {}, {}
        for sandbox in sandboxes:
            await sandbox.close()


class TablePrograms:
    """Loads versions once. Only for one event loop."""

    def __init__(self, settings: Settings, clock: Callable[[], float]) -> None:
        self._settings = settings
        self._clock = clock
        self._opened = _Opened()
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

    @asynccontextmanager
    async def loaded(self, versions: Mapping[int, SeatedVersion]) -> AsyncIterator[dict[int, Program]]:
        """
        Make versions ready to start for one table, until it has ended.

        If the sandbox fails, later tables get another one. Those that play in it play on: it may be only a version that
        is missing.

        Raises:
            BotRejected: If one cannot be loaded.
            SandboxError: If the sandbox failed, or a version does not exist any more.
        """
        opened = self._opened
        opened.tables += 1
        try:
            try:
                found = {number: await self._program(opened, version) for number, version in versions.items()}
            except SandboxError:
                self._opened = _Opened() if self._opened is opened else self._opened
                raise
            yield found
        finally:
            opened.tables -= 1
            if opened is not self._opened and not opened.tables:
                await opened.close()

    async def close(self) -> None:
        """Close all sandboxes, and with them what runs there."""
        await self._opened.close()
        await self._house_sandbox.close()

    async def _program(self, opened: _Opened, version: SeatedVersion) -> Program:
        from ladder.worker.match_tasks import load_version  # takes long, and house bots need none of it

        if version.identity not in opened.programs:
            bot = task_bot(version.bot, version, self._settings, self._clock())
            opened.programs[version.identity] = await load_version(self._sandbox(opened, bot.sandbox), bot)
        return opened.programs[version.identity]

    def _sandbox(self, opened: _Opened, kind: SandboxKind) -> Sandbox:
        if kind not in opened.sandboxes:
            settings = self._settings
            setup = SandboxSetup(kind, settings.runtime, settings.locked_bytes)
            opened.sandboxes[kind] = open_sandbox(setup)
        return opened.sandboxes[kind]
