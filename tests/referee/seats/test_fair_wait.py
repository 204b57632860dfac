"""A program that hangs is blamed, one that the machine did not let run is not."""

from __future__ import annotations

import asyncio
import selectors
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from referee.seats.fair_wait import (
    MAX_TIMES,
    USUAL_CPU_SECONDS,
    FairTime,
    MachineTooBusy,
    WitnessStart,
    pace,
    wait_fairly,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.seats.fair_wait import Witness

SECONDS = 10.0
STARTS = 0.5
"""CPU time of an honest start, the witness's too."""
FOR_EVER = 1e9


class JumpingSelector(selectors.SelectSelector):
    """Waits for nothing: its time jumps to when the next timer fires."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 100.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.now += timeout or 0.0
        return super().select(0)


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop in which an hour takes no time."""

    def __init__(self) -> None:
        self._jumping = JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


@dataclass(frozen=True)
class Program:
    """A program that works for *works* seconds of CPU time, and then takes its seat, or sleeps."""

    works: float
    comes: bool = True
    share: float = 1.0
    """The part of the time that it is let run in which it works; it sleeps in the rest."""


HONEST = Program(STARTS)
LARGE = Program(SECONDS * 0.8)
SLEEPS = Program(0.0, comes=False)
SLEEPS_LATER = Program(STARTS, comes=False)
BURNS = Program(FOR_EVER, comes=False)
TRICKLES = Program(FOR_EVER, comes=False, share=0.6)
"""Uses a little more CPU time than what counts as sleep on a busy machine."""


class Machine:
    """A machine on which a program that wants a core gets one for a part of the time."""

    def __init__(self, slowness: Callable[[float], float] | float, reads_cpu: bool = True) -> None:
        self._slowness = slowness
        self._reads_cpu = reads_cpu
        self._loop = asyncio.get_running_loop()
        self._began = self._loop.time()
        self.witnesses = 0

    def slowness(self) -> float:
        return self._slowness(self.wall) if callable(self._slowness) else self._slowness

    @property
    def wall(self) -> float:
        return self._loop.time() - self._began

    async def run(self, program: Program, used: list[float]) -> None:
        """Let the program work until it takes its seat."""
        step = 0.01
        while used[0] < program.works:
            await asyncio.sleep(step * self.slowness() / program.share)
            used[0] += step
        if not program.comes:
            await asyncio.sleep(FOR_EVER)

    async def start(self) -> WitnessStart:
        """Start a witness."""
        self.witnesses += 1
        began, used = self.wall, [0.0]
        await self.run(HONEST, used)
        return WitnessStart(self.wall - began, used[0] if self._reads_cpu else None)

    async def wait_for(self, program: Program, witness: Witness | None) -> bool:
        """Start the program, and wait for it."""
        used = [0.0]
        running = asyncio.ensure_future(self.run(program, used))
        time = FairTime(SECONDS, lambda: used[0] if self._reads_cpu else None)
        try:
            return await wait_fairly((running,), time, witness)
        finally:
            running.cancel()


def started(
    program: Program,
    slowness: Callable[[float], float] | float,
    reads_cpu: bool = True,
    has_witness: bool = True,
) -> tuple[bool | None, float, int]:
    """Start a program: whether it came, None if the machine was too busy; after how many seconds; witnesses."""

    async def start() -> tuple[bool | None, float, int]:
        machine = Machine(slowness, reads_cpu)
        try:
            came = await machine.wait_for(program, machine if has_witness else None)
        except MachineTooBusy:
            return None, machine.wall, machine.witnesses
        return came, machine.wall, machine.witnesses

    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(start())


@pytest.mark.parametrize("slowness", [1.0, 5.0, 20.0, 100.0])
def test_an_honest_program_is_waited_for_on_a_busy_machine(slowness: float) -> None:
    came, after, _ = started(HONEST, slowness)
    assert came
    assert after == pytest.approx(STARTS * slowness)


@pytest.mark.parametrize("slowness", [1.0, 2.0, 5.0, 10.0])
def test_one_that_uses_most_of_its_time_is_waited_for_too(slowness: float) -> None:
    assert started(LARGE, slowness)[0]


@pytest.mark.parametrize("program", [SLEEPS, SLEEPS_LATER, BURNS, TRICKLES])
def test_one_that_hangs_is_blamed_within_its_time_on_a_quiet_machine(program: Program) -> None:
    came, after, witnesses = started(program, 1.0)
    assert came is False
    assert SECONDS <= after <= SECONDS + 2 * STARTS
    assert witnesses <= 4


@pytest.mark.parametrize("slowness", [3.0, 10.0, 30.0])
@pytest.mark.parametrize("program", [SLEEPS, SLEEPS_LATER])
def test_one_that_sleeps_is_blamed_on_a_busy_machine_too(program: Program, slowness: float) -> None:
    came, after, _ = started(program, slowness)
    assert came is False
    assert after < 3 * STARTS * slowness + 2 * SECONDS


@pytest.mark.parametrize("program", [BURNS, TRICKLES])
def test_one_that_works_for_ever_uses_its_time_up(program: Program) -> None:
    came, after, _ = started(program, 5.0)
    assert came is False
    assert after < MAX_TIMES * SECONDS


def test_a_machine_that_becomes_quiet_does_not_count_the_time_before() -> None:
    came, after, _ = started(LARGE, lambda wall: 20.0 if wall < 40.0 else 1.0)
    assert (came, after > 40.0 + SECONDS / 2) == (True, True)
    came, after, _ = started(BURNS, lambda wall: 20.0 if wall < 40.0 else 1.0)
    assert (came, after < 40.0 + SECONDS + 2 * STARTS) == (False, True)


@pytest.mark.parametrize("program", [HONEST, SLEEPS, BURNS])
def test_on_a_machine_that_starts_nothing_no_program_is_blamed(program: Program) -> None:
    came, after, _ = started(program, 1000.0)
    assert came is None
    assert after == pytest.approx(MAX_TIMES * SECONDS, abs=1.0)


@pytest.mark.parametrize(("slowness", "came"), [(1.0, True), (10.0, True), (19.0, True), (30.0, False)])
def test_without_a_witness_all_wall_time_counts(slowness: float, came: bool) -> None:
    assert started(HONEST, slowness, has_witness=False)[0] is came


def test_where_no_cpu_time_can_be_read_the_witness_shows_how_busy_the_machine_is() -> None:
    assert started(HONEST, 30.0, reads_cpu=False)[0]
    came, after, _ = started(SLEEPS, 1.0, reads_cpu=False)
    assert (came, after <= SECONDS + 2 * STARTS) == (False, True)


def test_no_witness_is_started_for_a_program_that_comes_soon() -> None:
    came, _, witnesses = started(HONEST, 4.0)
    assert (came, witnesses) == (True, 0)


@pytest.mark.parametrize(
    ("wall", "cpu", "counts"),
    [
        (STARTS, STARTS, 1.0),
        (STARTS, 2 * STARTS, 1.0),
        (2 * STARTS, STARTS, 0.5),
        (2 * USUAL_CPU_SECONDS, None, 0.5),
        (0.0, 0.0, 1.0),
    ],
)
def test_wall_time_counts_as_far_as_the_witness_was_let_run(wall: float, cpu: float | None, counts: float) -> None:
    assert pace(WitnessStart(wall, cpu)) == pytest.approx(counts)


def test_a_failure_of_the_witness_is_the_sandboxs() -> None:
    class Broken:
        async def start(self) -> WitnessStart:
            raise OSError("no engine")

    async def start() -> bool:
        return await Machine(1.0).wait_for(SLEEPS, Broken())

    with asyncio.Runner(loop_factory=JumpingLoop) as runner, pytest.raises(OSError, match="no engine"):
        runner.run(start())
