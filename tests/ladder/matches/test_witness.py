"""Programs of ours that show how busy the machine is while a bot starts."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ladder.errors import SandboxError
from ladder.matches.play import SharedWitness, play_sandboxed, start_witness
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from pigpen.rules import seed_from
from referee.match.formats import Format, MatchSpec
from referee.records.lines import DealLine
from referee.seats import fair_wait
from referee.seats.verdict import Verdict
from tests.for_two import FEW_TRICKS
from tests.ladder.matches.test_play import TaskInstance, TaskProgram
from tests.waiting import PATIENT, comes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ladder.sandbox.base import SeatMount
    from referee.records.lines import AnyLine

SHORT = replace(PATIENT, start_up=0.2)


class Absent(TaskProgram):
    """Starts programs that never come."""

    async def start(self, mount: SeatMount) -> TaskInstance:
        instance = await super().start(mount)
        instance._task.cancel()

        async def never() -> None:
            await asyncio.sleep(3600.0)

        instance._task = asyncio.ensure_future(never())
        return instance


async def test_seats_that_wait_together_share_one_start_and_nothing_of_it_is_left() -> None:
    program = TaskProgram(start_takes=0.05)
    witness = SharedWitness(program)
    first, second = await asyncio.gather(witness.start(), witness.start())
    assert first is second
    assert first.wall >= 0.05
    assert [instance._task.done() for instance in program.instances] == [True]
    await witness.start()
    assert [instance._task.done() for instance in program.instances] == [True, True]


async def test_a_start_goes_when_no_seat_waits_for_it_any_more() -> None:
    program = Absent()
    witness = SharedWitness(program)
    waiting = [asyncio.ensure_future(witness.start()) for _ in range(2)]
    await comes(lambda: program.instances)
    waiting[0].cancel()
    await asyncio.gather(waiting[0], return_exceptions=True)
    assert not program.instances[0]._task.done()
    waiting[1].cancel()
    await comes(lambda: program.instances[0]._task.done())
    await witness.close()


async def test_a_witness_that_cannot_be_started_or_ends_is_the_sandboxs_failure(write: Callable[..., Path]) -> None:
    with pytest.raises(SandboxError, match="no room"):
        await start_witness(TaskProgram(start_fails=True))
    sandbox = ProcessSandbox(instances="fresh")
    try:
        ends = await sandbox.load(_bot(write, "raise SystemExit(3)"))
        with pytest.raises(SandboxError, match="exit code 3"):
            await start_witness(ends)
    finally:
        await sandbox.close()


def _bot(write: Callable[..., Path], text: str) -> BotSource:
    return BotSource("bot", folder=write("bot", {"bot.py": text}))


async def _played(late: TaskProgram, witness: TaskProgram | None) -> tuple[list[AnyLine], list[int]]:
    """Play a bot that may be late beside one that is not, and give the record and all faults."""
    late.witness = witness
    lines: list[AnyLine] = []
    spec = MatchSpec(FEW_TRICKS, ("late", "other"), Format(1), SHORT, seed_from("late"))
    played = await play_sandboxed(spec, [late, TaskProgram()], lines.append)
    return lines, [row.faults for row in played.result.results]


async def test_a_bot_that_never_comes_is_absent_where_the_witness_comes_at_once() -> None:
    witness = TaskProgram()
    lines, faults = await _played(Absent(), witness)
    assert faults == [1, 0]
    assert {f"default:{Verdict.ABSENT}"} < {
        step.by for line in lines if isinstance(line, DealLine) for step in line.steps
    }
    assert witness.instances
    assert all(instance._task.done() for instance in witness.instances)


async def test_where_the_witness_does_not_come_either_the_match_is_void(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_wait, "MAX_TIMES", 2.0)
    witness = Absent()
    with pytest.raises(SandboxError, match="too busy to start bots"):
        await _played(Absent(), witness)
    assert all(instance._task.done() for instance in witness.instances)


async def test_the_process_sandbox_has_a_witness(write: Callable[..., Path]) -> None:
    sandbox = ProcessSandbox()
    try:
        program = await sandbox.load(_bot(write, ""))
        assert program.witness is not None
        found = await start_witness(program.witness)
        assert (found.wall > 0.0, found.cpu) == (True, None)
    finally:
        await sandbox.close()


@pytest.mark.docker
@pytest.mark.usefixtures("no_leftovers")
@pytest.mark.parametrize("runtime", ["runc", pytest.param("runsc", marks=pytest.mark.runsc)])
async def test_a_container_has_a_witness_on_its_own_runtime(program: BotSource, runtime: str) -> None:
    """The base image need not have been looked for before: bots that are images may not stand on it."""
    sandbox = DockerSandbox(runtime)
    try:
        loaded = await sandbox.load(program)
        again = await sandbox.load(program)
        assert loaded.witness is again.witness
        assert loaded.witness is not None
        assert loaded.witness.runtime == loaded.runtime == runtime
        found = await start_witness(loaded.witness)
        assert found.cpu is not None
        assert found.cpu > 0.0
    finally:
        await sandbox.close()
