"""Nobody steals a bot's time: frozen containers use no time, and neither neighbours nor the host change a verdict."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.fair import busy_machine
from ladder.matches.inline_match import Played
from ladder.matches.play import play_sandboxed
from ladder.sandbox.base import Instance, SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.host.machine import bot_cores
from pigpen import ClockSetting
from pigpen.rules import seed_from
from referee.match.formats import Format, MatchSpec
from referee.records.lines import AnyLine, DealLine
from tests.for_two import FEW_TRICKS
from tests.ladder.containers import SHARED_LOOP, has_written, running_in
from tests.waiting import PATIENT

pytestmark = [pytest.mark.docker, pytest.mark.root]

MakeMount = Callable[[str], SeatMount]
SPINNING = """
import os, sys
print("up", flush=True)
for _ in range(3):
    os.fork()
while True:
    pass
"""
CORES = """
import os, time
while len(os.sched_getaffinity(0)) > 1:
    time.sleep(0.01)
print("on", *os.sched_getaffinity(0), flush=True)
time.sleep(1000)
"""
SPINNING_BOT = """
import subprocess, sys
import pigpen

class Spinning(pigpen.Bot):
    spinners = ()

    def play(self, view):
        command = [sys.executable, "-S", "-c", "while True: pass"]
        self.spinners = self.spinners or [subprocess.Popen(command) for _ in range(6)]
        return view.legal[0]

if __name__ == "__main__":
    pigpen.run(Spinning())
"""
WORKING_BOT = """
import time
import pigpen

class Working(pigpen.Bot):
    def play(self, view):
        start = time.process_time()
        while len(view.tricks) < 2 and time.process_time() < start + 0.2:
            pass
        return view.legal[0]

if __name__ == "__main__":
    pigpen.run(Working())
"""
"""Thinks for 0.2 s about its first cards. Its cap of wall time is far more: no machine is so busy that it decides."""
THINKING_BOT = """
import pigpen

class Thinking(pigpen.Bot):
    thinks = True

    def play(self, view):
        half = view.limit / 2
        while self.thinks and view.time_left() > half:
            pass
        self.thinks = False
        return view.legal[0]

if __name__ == "__main__":
    pigpen.run(Thinking())
"""
"""Thinks about its first card until half of the time is left, by the SDK's clock."""
HALF = replace(PATIENT, limit=4.0)
MAX_MS = 2000.0
"""Far more CPU time than a decision of that bot takes, however busy the machine is."""
CORES_HERE = os.cpu_count() or 1
RULES, DEALS = FEW_TRICKS, 1
DOCKERFILE = 'FROM pigpen/bot:latest\nCOPY bot.py .\nCMD ["python", "bot.py"]\n'


async def used_after_a_while(instance: Instance) -> float:
    """The CPU time, read when enough has gone by for a spinner to have used some."""
    await asyncio.sleep(0.05)
    used = instance.controller.cpu_time()
    assert used is not None
    return used


async def time_when_still(instance: Instance) -> float:
    """The CPU time, when it has been the same for five looks: with what spins in it free, that does not come."""
    looks: list[float] = []
    while len(looks) < 5 or len(set(looks[-5:])) > 1:
        looks.append(await used_after_a_while(instance))
    return looks[-1]


@SHARED_LOOP
async def test_a_container_that_is_frozen_uses_no_time_until_it_is_thawed_and_is_stopped_like_any_other(
    shared_sandbox: DockerSandbox, program: BotSource, mount: MakeMount
) -> None:
    async with running_in(shared_sandbox, program, mount(SPINNING)) as instance:
        await has_written(instance, "up")
        start = await used_after_a_while(instance)
        while await used_after_a_while(instance) <= start:
            pass
        instance.controller.freeze()
        before = await time_when_still(instance)
        instance.controller.thaw()
        while await used_after_a_while(instance) <= before:
            pass
        instance.controller.freeze()
        await instance.stop()
        assert (await instance.wait()).code == 137


@SHARED_LOOP
async def test_a_bot_that_has_taken_its_seat_stays_on_its_tables_core(
    shared_sandbox: DockerSandbox, program: BotSource, mount: MakeMount
) -> None:
    core = bot_cores()[-1]
    async with running_in(shared_sandbox, program, replace(mount(CORES), core=core)) as instance:
        instance.controller.seated()
        await has_written(instance, f"on {core}\n")


async def played(
    sandbox: DockerSandbox, bots: list[BotSource], spinners: int = 0, clock: ClockSetting = PATIENT
) -> tuple[Played, list[AnyLine]]:
    names = tuple(f"{bot.name}{seat}" for seat, bot in enumerate(bots))
    spec = MatchSpec(RULES, names, Format(DEALS), clock, seed_from("fair"))
    lines: list[AnyLine] = []
    programs = [await sandbox.load(bot) for bot in bots]
    with busy_machine(spinners):
        return await play_sandboxed(spec, programs, lines.append), lines


@pytest.fixture
def bot(write: Callable[[str, dict[str, str]], Path]) -> Callable[[str, str], BotSource]:
    """Make a bot of a name and a program."""
    return lambda name, text: BotSource(name, folder=write(name, {"bot.py": text, "Dockerfile": DOCKERFILE}))


async def test_spinning_opponents_on_a_busy_machine_change_no_verdict_and_both_times_are_recorded(
    sandbox: DockerSandbox, bot: Callable[[str, str], BotSource]
) -> None:
    """The honest one pays for its own CPU time: of what it waited for the machine, nothing is charged."""
    bots = [bot("working", WORKING_BOT), *[bot("spinning", SPINNING_BOT)] * (RULES.players - 1)]
    result, lines = await played(sandbox, bots, CORES_HERE)
    honest = result.result.results[0]
    assert (honest.faults, honest.timed) == (0, "cpu")
    for line in lines:
        if isinstance(line, DealLine):
            assert line.cpu_ms is not None
            times = zip(line.steps, line.cpu_ms, strict=True)
            own = [cpu for step, cpu in times if step.seat == 0 and step.by == "bot"]
            assert own
            assert all(cpu is not None and 0 < cpu < MAX_MS for cpu in own)


@pytest.mark.parametrize("runtime", ["runc", pytest.param("runsc", marks=pytest.mark.runsc)])
async def test_a_bot_that_thinks_by_the_time_left_is_never_charged_more(
    bot: Callable[[str, str], BotSource], runtime: str
) -> None:
    """Under gVisor too, where the clocks of CPU time inside count wall time."""
    sandbox = DockerSandbox(runtime)
    try:
        thinking = [bot("thinking", THINKING_BOT)] * RULES.players
        result, lines = await played(sandbox, thinking, CORES_HERE, HALF)
    finally:
        await sandbox.close()
    assert [(row.faults, row.timed) for row in result.result.results] == [(0, "cpu")] * RULES.players, result.logs
    deals = [line for line in lines if isinstance(line, DealLine)]
    longest = max(took for deal in deals for took in deal.took_ms or ())
    assert longest >= 1000 * HALF.limit / 2, "it did think"
    assert max(cpu or 0.0 for deal in deals for cpu in deal.cpu_ms or ()) < 1000 * HALF.limit


@pytest.mark.long
async def test_no_honest_bot_is_at_fault_on_a_busy_machine(
    sandbox: DockerSandbox, bot: Callable[[str, str], BotSource]
) -> None:
    """Each pays for its own CPU time: of what it waited for the machine, nothing is charged."""
    result, lines = await played(sandbox, [bot("working", WORKING_BOT)] * RULES.players, 2 * CORES_HERE)
    assert [(row.faults, row.timed) for row in result.result.results] == [(0, "cpu")] * RULES.players, result.logs
    deals = [line for line in lines if isinstance(line, DealLine)]
    assert max(cpu or 0.0 for deal in deals for cpu in deal.cpu_ms or ()) < MAX_MS
