"""
The bots at one table with people: house bots in one process with limits, bots of the ladder in their sandbox.

House bots have a process of their own for each table. `TablePrograms` loads the programs: house bots, and the ladder's
in sandboxes opened when they are needed.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import SandboxError
from ladder.matches.kinds import open_sandbox
from ladder.matches.play import SeatedBot, played_at
from ladder.matches.sandboxed_bots import SandboxedBots
from ladder.people.playing import house_program
from ladder.people.playing.house_program.bot import SEATS
from ladder.runner.leased_tasks import task_bot
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.host.scratch import disk_errors, scratch_folder
from ladder.sandbox.process.forked import ProcessLimits
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from ladder.values.sandbox_kind import SandboxKind, SandboxSetup
from referee.seats.clock import Stopwatch
from referee.seats.stream_seat import StreamSeat
from referee.seats.verdict import SeatFailure, Verdict

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence

    from ladder.matches.bots import Keep
    from ladder.sandbox.base import Program, Sandbox
    from ladder.settings.settings import Settings
    from ladder.store.queries.leased_matches import SeatedVersion
    from pigpen.rules import Action
    from pigpen.values.notices import Welcome
    from pigpen.values.view import View
    from referee.records.lines import ImageFiles, Instances
    from referee.seats.fair_wait import Witness
    from referee.seats.process_controller import ProcessController
    from referee.seats.seat import Seat
    from referee.seats.verdict import Exit

HOUSE_SECONDS = 10.0
"""Seconds of wall time after which a house bot is late; it aims at a quarter of a second at most."""
START_SECONDS = 60.0
"""Seconds that a house bot may take to get its seat; it takes some tens of milliseconds."""
HOUSE_LIMITS = ProcessLimits(memory_bytes=512 * 1024 * 1024, niceness=5)
"""Of the process of one table. It asks for some 80 MB, of which it uses 10: the rest are stacks of gRPC's threads."""


async def _let_run() -> None:
    """Stop nothing."""


class HouseSeat(StreamSeat):
    """
    The seat of a house bot.

    The bot is trusted, so no clock of the match runs against it: it has a fault only if it is later than any honest bot
    can be. Its program is then stopped, because it would still work on that decision during the next ones.

    Attributes:
        stop_program: Stops the program, and with it all house bots of the table.
    """

    def __init__(self, socket: Path, token: str) -> None:
        super().__init__(socket, token)
        self.stop_program: Callable[[], Awaitable[None]] = _let_run

    async def welcome(self, welcome: Welcome) -> None:
        """Wait for the bot to take its seat; a busy machine may take long for that."""
        await super().welcome(replace(welcome, clock=replace(welcome.clock, start_up=START_SECONDS)))

    async def ask(self, view: View, watch: Stopwatch) -> Action:
        """Ask the bot; *watch* is stopped at once."""
        watch.stop()
        try:
            return await super().ask(view, Stopwatch(HOUSE_SECONDS))
        except SeatFailure as failure:
            if failure.verdict is Verdict.TIMEOUT:
                await self.stop_program()
            raise


class HouseSeats:
    """
    The seats of all house bots of a table, as `ladder.matches.play.SeatedBot` has the seat of one bot: one program
    takes them all (`ladder.people.playing.house_program`).

    Attributes:
        seats: The seats, in the order of the bots.
    """

    def __init__(self, bots: Sequence[BotSource], socket: Path, token: str) -> None:
        self._bots = bots
        self._folder = socket.parent
        self._token = token
        self.seats = [HouseSeat(path, token) for path in self._sockets()]

    async def listen(self) -> None:
        """Open all seats, and say where they are."""
        named = zip(self._bots, self._sockets(), strict=True)
        seats = [
            {
                "file": str(bot.folder and bot.folder / "bot.py"),
                "name": bot.name,
                "address": f"unix:{path}",
                "token": self._token,
            }
            for bot, path in named
        ]
        with disk_errors(self._folder):
            (self._folder / SEATS).write_text(json.dumps(seats), encoding="utf-8")
        for seat in self.seats:
            await seat.listen()

    def attach_controller(self, controller: ProcessController) -> None:
        """Give all seats the controller of the program, which has started."""
        for seat in self.seats:
            seat.attach_controller(controller)

    def attach_witness(self, witness: Witness) -> None:
        """Give all seats what shows how busy the machine is while the program starts."""
        for seat in self.seats:
            seat.attach_witness(witness)

    def lose(self, reason: str, end: Exit | None = None) -> None:
        """Report to all seats that the program has ended."""
        for seat in self.seats:
            seat.lose(reason, end)

    @property
    def has_left(self) -> bool:
        """True if a bot had no stream when that was noted last, before the match was announced as over."""
        return any(seat.has_left for seat in self.seats)

    @property
    def was_taken(self) -> bool:
        """True if a bot has ever come."""
        return any(seat.was_taken for seat in self.seats)

    @property
    def is_over(self) -> bool:
        """True if the end of the match was announced to all."""
        return all(seat.is_over for seat in self.seats)

    async def close(self) -> None:
        """Close all seats."""
        await asyncio.gather(*(seat.close() for seat in self.seats))

    def _sockets(self) -> list[Path]:
        return [self._folder / f"{number}.sock" for number in range(len(self._bots))]


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


@dataclass(frozen=True)
class TableBots:
    """The bots of a table, by their order there; see `ladder.matches.bots.BotSeats`."""

    names: Sequence[str]
    house: Mapping[int, BotSource]
    """Those that are house bots."""
    house_program: Program
    """Plays all of them."""
    ladder: Mapping[int, Program]
    """Programs of those that are bots of the ladder."""

    @asynccontextmanager
    async def table(self, keep: Keep, deals: str | None = None) -> AsyncIterator[list[Seat]]:
        """See `BotSeats`."""
        logs = [""] * len(self.names)
        seats: dict[int, Seat] = {}
        async with self._house_table(logs, deals) as house, self._ladder_table(logs, deals) as others:
            seats.update(zip(self.house, house, strict=True))
            seats.update(zip(self.ladder, others, strict=True))
            yield [seats[number] for number in range(len(self.names))]
        keep(tuple(logs))

    @property
    def image_files(self) -> ImageFiles | None:
        """See `BotSeats`."""
        return self._sandboxed.image_files

    @property
    def instances(self) -> Instances | None:
        """See `BotSeats`."""
        return self._sandboxed.instances

    @property
    def runtime(self) -> str | None:
        """See `BotSeats`."""
        return self._sandboxed.runtime

    @property
    def _sandboxed(self) -> SandboxedBots:
        return SandboxedBots([*self.ladder.values()], [self.names[number] for number in self.ladder])

    @asynccontextmanager
    async def _house_table(self, logs: list[str], deals: str | None) -> AsyncIterator[Sequence[Seat]]:
        if not self.house:
            yield ()
            return
        make = partial(HouseSeats, [*self.house.values()])
        with scratch_folder() as root:
            bots = SeatedBot(self.house_program, root / "0", "house", make, deals=deals)
            for seat in bots.seat.seats:
                seat.stop_program = bots.stop
            async with played_at([bots], lambda tails: _keep(logs, self.house, [*tails] * len(self.house))):
                yield bots.seat.seats

    @asynccontextmanager
    async def _ladder_table(self, logs: list[str], deals: str | None) -> AsyncIterator[Sequence[Seat]]:
        if not self.ladder:
            yield ()
            return
        async with self._sandboxed.table(lambda tails: _keep(logs, self.ladder, tails), deals) as seats:
            yield seats


def _keep(logs: list[str], numbers: Iterable[int], tails: Sequence[str]) -> None:
    for number, tail in zip(numbers, tails, strict=True):
        logs[number] = tail
