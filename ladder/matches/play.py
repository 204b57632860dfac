"""
One match in sandboxes: start the bots, seat them, let the referee play, clean up in any case.

Beside bots that are late, programs of ours are started (`SharedWitness`): what they need shows how busy the machine is.
One is started in the sandbox of the late bot, as a bot is: on its runtime, with its limits, in a container of its own.
It imports the SDK and takes a seat at which no match is played (docs/adr/0013-the-time-of-a-match.md).
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from ladder.errors import ContainerLost, SandboxError
from ladder.matches.inline_match import Played, void
from ladder.sandbox.base import SOCKET_NAME, SeatMount
from ladder.sandbox.host.machine import CORES
from ladder.sandbox.host.scratch import disk_errors, scratch_folder
from ladder.values.sandbox_kind import has_own_kernel
from pigpen.rules.shuffle import commitment
from referee.match.match import Match
from referee.seats.fair_wait import WitnessStart, loop_time
from referee.seats.seat_server import new_token
from referee.seats.stream_seat import StreamSeat
from referee.seats.verdict import SeatBroken

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from ladder.sandbox.base import Exit, Instance, Program
    from referee.match.formats import MatchSpec
    from referee.match.observer import Observer
    from referee.records.lines import AnyLine, DealLine, ImageFiles, Instances
    from referee.seats.fair_wait import Witness
    from referee.seats.process_controller import ProcessController
    from referee.seats.seat import Seat

    Write = Callable[[AnyLine], None]
    Keep = Callable[[tuple[str, ...]], None]

LABELS = {"pigpen.witness": "1"}


class SharedWitness:
    """A `referee.seats.fair_wait.Witness` for all seats of a table: those that are late together share one start."""

    def __init__(self, program: Program) -> None:
        """
        Prepare; nothing is started yet.

        Args:
            program: Of ours, in the sandbox of the bots (`Program.witness`).
        """
        self._program = program
        self._starting: asyncio.Task[WitnessStart] | None = None
        self._waiting = 0

    async def start(self) -> WitnessStart:
        """
        Start one, or wait for the one that is starting; it goes when no seat waits for it any more.

        Raises:
            SandboxError: If the sandbox fails.
        """
        if self._starting is None or self._starting.done():
            self._starting = asyncio.ensure_future(start_witness(self._program))
        self._waiting += 1
        try:
            return await asyncio.shield(self._starting)
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._starting.cancel()

    async def close(self) -> None:
        """Wait until nothing of it is left."""
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.gather(self._starting, return_exceptions=True)


async def start_witness(program: Program) -> WitnessStart:
    """
    Start a program, wait until it has taken its seat, and remove it.

    Raises:
        SandboxError: If the sandbox fails, or the program ends before.
    """
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(scratch_folder()) / "seat"
        with disk_errors(folder):
            folder.mkdir(mode=0o700)
        token = new_token()
        seat = StreamSeat(folder / SOCKET_NAME, token)
        stack.push_async_callback(seat.close)
        await seat.listen()
        began = loop_time()  # on a busy machine a program runs before the engine reports that it has started it
        instance = await program.start(SeatMount(folder, token, LABELS))
        stack.push_async_callback(instance.stop)
        ended, taken = asyncio.ensure_future(instance.wait()), asyncio.ensure_future(seat.taken.wait())
        try:
            await asyncio.wait((ended, taken), return_when=asyncio.FIRST_COMPLETED)
            if not seat.taken.is_set():
                raise SandboxError(f"A program of ours did not get to its seat: {ended.result()}.")
            return WitnessStart(loop_time() - began, instance.controller.cpu_time())
        finally:
            ended.cancel()
            taken.cancel()


class ProgramSeat(Protocol):
    """The seats of one program: one seat, or several at one table."""

    async def listen(self) -> None:
        """See `StreamSeat`, as of the other members."""

    def attach_controller(self, controller: ProcessController) -> None:
        """See `StreamSeat`."""

    def attach_witness(self, witness: Witness) -> None:
        """See `StreamSeat`."""

    def lose(self, reason: str, end: Exit | None = None) -> None:
        """See `StreamSeat`."""

    @property
    def has_left(self) -> bool:
        """See `StreamSeat`."""

    @property
    def was_taken(self) -> bool:
        """See `StreamSeat`."""

    @property
    def is_over(self) -> bool:
        """See `StreamSeat`."""

    async def close(self) -> None:
        """See `StreamSeat`."""


S = TypeVar("S", bound=ProgramSeat, covariant=True)


CRASHES = {128 + number for number in (signal.SIGILL, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGSEGV)}
"""Exit codes of a program that an error in its native code has ended."""
FAREWELL_SECONDS = 1.0
"""Seconds that programs may take to end by themselves after the match."""

LOST_SECONDS = 1.0
"""Seconds that containers may take to follow one that was lost: together they are lost by the machine's fault."""

_LEAST_FIRST: tuple[ImageFiles, ...] = ("read", "locked", "isolated")

NO_LABELS: Mapping[str, str] = MappingProxyType({})


@void()
async def play_sandboxed(
    spec: MatchSpec,
    programs: Sequence[Program],
    write: Write,
    recorded: Sequence[DealLine] | None = None,
    concurrency: int = 1,
    labels: Mapping[str, str] = NO_LABELS,
    observer: Observer | None = None,
    machine: str | None = None,
) -> Played:
    """
    Play with a fresh instance of each program in its sandbox at each table.

    Args:
        spec: What is to be played.
        programs: The bots, in the order of their numbers.
        write: Takes the record's lines.
        recorded: The deals in the record of an interrupted match.
        concurrency: How many tables play at once.
        labels: What instances are marked with, to find them again.
        observer: Takes what happens in the match.
        machine: What the record says of the class of this machine; None: nothing.

    Raises:
        CannotResume: If the recorded deals are not of this match.
        SandboxError: If the sandbox failed; the match is void.
    """
    logs: dict[int, tuple[str, ...]] = {}

    def open_table(table: int) -> AbstractAsyncContextManager[Sequence[Seat]]:
        keep = partial(logs.__setitem__, table)
        return sandboxed_table(programs, spec.bots, keep, labels, commitment(spec.seed))

    match = Match(
        spec,
        open_table,
        write,
        recorded,
        image_files_of(programs),
        instances_of(programs),
        observer=observer,
        machine=machine,
        runtime=runtime_of(programs),
    )
    return Played(await match.play(concurrency), logs, match.seconds)


def image_files_of(programs: Sequence[Program]) -> ImageFiles | None:
    """Give the weakest protection among all bots: that is what the record may say."""
    found = {program.image_files for program in programs}
    return next((each for each in (*_LEAST_FIRST, None) if each in found), None)


def instances_of(programs: Sequence[Program]) -> Instances | None:
    """Give ``warm`` if any of them are."""
    found = {program.instance_kind for program in programs}
    return "warm" if "warm" in found else "fresh" if "fresh" in found else None


def runtime_of(programs: Sequence[Program]) -> str | None:
    """Give the runtime of their containers; where they have several, one under which these share the host's kernel."""
    found = {program.runtime for program in programs if program.runtime is not None}
    return min(found, key=lambda runtime: (has_own_kernel(runtime), runtime), default=None)


@contextlib.asynccontextmanager
async def sandboxed_table(
    programs: Sequence[Program],
    names: Sequence[str],
    keep: Keep,
    labels: Mapping[str, str] = NO_LABELS,
    deals: str | None = None,
) -> AsyncIterator[list[StreamSeat]]:
    """
    Seat a fresh instance of each program in its sandbox, and remove everything afterwards.

    Args:
        programs: The bots.
        names: What they are called.
        keep: Takes the end of what each of them wrote to stdout and stderr.
        labels: What they are marked with.
        deals: Names the deals that will be played (`SeatMount.deals`).

    Raises:
        SandboxError: If a sandbox failed.
    """
    with scratch_folder() as root, CORES.lease() as core:
        named = zip(programs, names, strict=True)
        seated = [
            SeatedBot(program, root / str(bot), name, StreamSeat, core, labels, deals)
            for bot, (program, name) in enumerate(named)
        ]
        async with played_at(seated, keep):
            yield [bot.seat for bot in seated]


@contextlib.asynccontextmanager
async def played_at(seated: Sequence[SeatedBot[S]], keep: Keep) -> AsyncIterator[None]:
    """
    Run bots while their table is played; then let their programs end, and keep the end of what they wrote.

    Raises:
        SandboxError: If a sandbox failed.
    """
    async with running(seated) as watchers:
        yield
        await asyncio.gather(*(bot.confirm_end() for bot in seated))
        await asyncio.wait(watchers, timeout=FAREWELL_SECONDS)
    keep(tuple([await bot.log_tail() for bot in seated]))


@contextlib.asynccontextmanager
async def running(seated: Sequence[SeatedBot[S]]) -> AsyncIterator[list[asyncio.Task[None]]]:
    """
    Start all bots at once, and give the tasks that wait for their programs to end; clean up in any case.

    Raises:
        SandboxError: If a sandbox failed; what was done meanwhile has been cancelled.
    """
    witnesses = _attach_witnesses(seated)
    try:
        async with asyncio.TaskGroup() as starting:
            for bot in seated:
                starting.create_task(bot.start())
        async with asyncio.TaskGroup() as playing:
            watchers = [playing.create_task(bot.watch()) for bot in seated]
            yield watchers
            for watcher in watchers:
                watcher.cancel()
    except BaseExceptionGroup as failures:
        failure = failures.exceptions[0]
        if isinstance(failure, ContainerLost):
            failure = ContainerLost(str(failure), await _only_lost(seated))
        raise SandboxError(str(failure)) if isinstance(failure, SeatBroken) else failure from None
    finally:
        await asyncio.gather(*(bot.close() for bot in seated), *(witness.close() for witness in witnesses))


def _attach_witnesses(seated: Sequence[SeatedBot[S]]) -> list[SharedWitness]:
    """Give each seat what shows how busy the machine is; one for all bots of a sandbox."""
    shared: dict[Program, SharedWitness] = {}
    for bot in seated:
        if (program := bot.program.witness) is not None:
            bot.seat.attach_witness(shared.setdefault(program, SharedWitness(program)))
    return list(shared.values())


async def _only_lost(seated: Sequence[SeatedBot[S]]) -> int | None:
    """Find the number of the one bot whose container was lost; None if those of others were lost as well."""
    found = await asyncio.gather(*(bot.is_lost() for bot in seated))
    lost = [number for number, is_lost in enumerate(found) if is_lost]
    return lost[0] if len(lost) == 1 else None


class SeatedBot(Generic[S]):
    """One seat at a table, and the instance of a bot that plays there."""

    def __init__(
        self,
        program: Program,
        folder: Path,
        name: str,
        make_seat: Callable[[Path, str], S],
        core: int | None = None,
        labels: Mapping[str, str] = NO_LABELS,
        deals: str | None = None,
    ) -> None:
        with disk_errors(folder):
            folder.mkdir(mode=0o700)  # the sandbox lets others in where its instances are others
        self.program = program
        """The bot."""
        self._mount = SeatMount(folder, new_token(), {**labels, "bot": name, "seat": folder.name}, core, deals)
        self._instance: Instance | None = None
        self.seat = make_seat(folder / SOCKET_NAME, self._mount.token)
        self.end: asyncio.Future[Exit] = asyncio.get_running_loop().create_future()
        """The end of the instance, once it has ended."""

    async def start(self) -> None:
        """Open the seat and start the instance; the bot's time does not run yet."""
        try:
            await self.seat.listen()
        except SeatBroken as broken:
            raise SandboxError(str(broken)) from broken
        self._instance = await self.program.start(self._mount)
        self.seat.attach_controller(self._instance.controller)

    async def watch(self) -> None:
        """Wait until the instance ends, and notify the seat."""
        assert self._instance is not None
        try:
            end = await self._instance.wait()
            if end.code in CRASHES and self._mount.deals is not None and not self.seat.was_taken:
                end = await self._start_afresh(self._instance, end)
        except SandboxError as error:
            if not self.seat.is_over:
                raise
            self.end.set_exception(error)  # for callers that wait for the end; the match stays valid
            self.end.exception()
            return
        self.end.set_result(end)
        self.seat.lose(str(end), end)

    async def _start_afresh(self, crashed: Instance, end: Exit) -> Exit:
        """
        Start the bot once more, not forked: what it imports may not survive a fork, and it has seen nothing yet.

        Returns:
            How that instance ended.
        """
        await crashed.stop()
        self.program.never_fork(end)
        self._instance = await self.program.start(replace(self._mount, deals=None))
        self.seat.attach_controller(self._instance.controller)
        return await self._instance.wait()

    async def confirm_end(self) -> None:
        """
        Find out how a bot ended that has no stream any more: by itself, or because the sandbox failed.

        Raises:
            SandboxError: If the sandbox cannot tell.
        """
        if self.seat.has_left and not self.end.done():
            await self.stop()

    async def stop(self) -> None:
        """
        Stop the instance, if it has been started; its seat is lost.

        Raises:
            SandboxError: If the sandbox failed.
        """
        if self._instance:
            await self._instance.stop()

    async def is_lost(self) -> bool:
        """Tell whether its container is gone by no doing of its program's, or will be in a moment."""
        if self._instance is None:
            return False
        try:
            async with asyncio.timeout(LOST_SECONDS):
                await self._instance.wait()
        except SandboxError:
            return True
        except TimeoutError:
            pass
        return False

    async def close(self) -> None:
        """Stop the instance and close the seat; may be called before `start` has finished."""
        with contextlib.suppress(SandboxError):  # what is left is removed at the next start
            await self.stop()
        await self.seat.close()

    async def log_tail(self) -> str:
        """Give the end of what the instance wrote."""
        try:
            return await self._instance.log_tail() if self._instance else ""
        except SandboxError as error:
            return f"[the output could not be read: {error}]"

    async def peak_memory(self) -> int | None:
        """Give the most bytes of memory that the instance has used so far; None where that cannot be read."""
        return await self._instance.peak_memory() if self._instance else None
