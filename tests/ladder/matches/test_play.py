"""
A match from its plan to its result: blame for a start, an end or a clean-up that goes wrong, and the witness.

The witness is a program of ours that shows how busy the machine is while a bot starts.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import pigpen
from ladder.errors import ContainerLost, SandboxError
from ladder.matches.play import SharedWitness, play_sandboxed, runtime_of, start_witness
from ladder.sandbox.base import SOCKET_NAME, Exit, SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.host.scratch import OWNER, PREFIX, scratch_folder
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from pigpen.client import Client
from pigpen.rules import PRESETS, seed_from
from referee.match.formats import Format, MatchSpec
from referee.records.lines import DealLine
from referee.seats import fair_wait
from referee.seats.process_controller import NoController
from referee.seats.stream_seat import StreamSeat
from referee.seats.trial_seat import TrialSeat
from referee.seats.verdict import Verdict
from tests.for_two import FEW_TRICKS
from tests.waiting import PATIENT, comes

if TYPE_CHECKING:
    from collections.abc import Callable

    from pigpen.rules import Card
    from referee.records.lines import AnyLine, ResultLine


class First(pigpen.Bot):
    def play(self, view: pigpen.View) -> Card:
        return view.legal[0]


class TaskInstance:
    """A bot that runs as a task of this very loop."""

    def __init__(self, mount: SeatMount, stop_fails: bool, wait_fails: bool) -> None:
        address = f"unix:{mount.folder / SOCKET_NAME}"
        self._task = asyncio.ensure_future(Client(First(), "task", address, mount.token).play_match())
        self._stop_fails = stop_fails
        self._wait_fails = wait_fails
        self.controller = NoController()

    async def wait(self) -> Exit:
        await asyncio.wait((self._task,))
        if self._wait_fails:
            raise SandboxError("the engine is gone")
        return Exit(0)

    async def stop(self) -> None:
        self._task.cancel()
        await asyncio.wait((self._task,))
        if self._stop_fails:
            raise SandboxError("the engine is gone")

    async def log_tail(self) -> str:
        if self._stop_fails:
            raise SandboxError("the engine is gone")
        return "what it wrote"

    async def peak_memory(self) -> int | None:
        return None


class TaskProgram:
    """Starts such bots, and fails as the test orders."""

    identity = "a task"
    image_files = None
    instance_kind = None
    runtime: str | None = None
    witness: TaskProgram | None = None

    def __init__(
        self,
        *,
        start_takes: float = 0.0,
        start_fails: bool = False,
        stop_fails: bool = False,
        wait_fails: bool = False,
    ) -> None:
        self._start_takes = start_takes
        self._start_fails = start_fails
        self._stop_fails = stop_fails
        self._wait_fails = wait_fails
        self.instances: list[TaskInstance] = []

    def never_fork(self, end: Exit) -> None:
        """It forks none."""

    async def start(self, mount: SeatMount) -> TaskInstance:
        await asyncio.sleep(self._start_takes)
        if self._start_fails:
            raise SandboxError("no room")
        self.instances.append(TaskInstance(mount, self._stop_fails, self._wait_fails))
        return self.instances[-1]


class Losing(TaskProgram):
    """Loses its container at once."""

    def __init__(self, error: SandboxError) -> None:
        super().__init__()
        self._error = error

    async def start(self, mount: SeatMount) -> TaskInstance:
        instance = await super().start(mount)

        async def wait() -> Exit:
            raise self._error

        monkeypatched: Any = instance
        monkeypatched.wait = wait
        return instance


class Breaking(TaskProgram):
    """Starts *starts* instances, and fails after them."""

    def __init__(self, starts: int) -> None:
        super().__init__()
        self._starts = starts

    async def start(self, mount: SeatMount) -> TaskInstance:
        self._start_fails = not self._starts
        self._starts -= 1
        return await super().start(mount)


async def play(*programs: TaskProgram) -> tuple[ResultLine, tuple[str, ...]]:
    spec = MatchSpec(PRESETS["hearts"], ("a", "b", "c", "d"), Format(1), PATIENT, bytes(32))
    lines: list[AnyLine] = []
    played = await play_sandboxed(spec, programs, lines.append)
    return played.result, played.logs[0]


async def test_a_slow_start_of_the_sandbox_is_not_the_bots_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = TaskProgram(start_takes=0.3), TaskProgram(), TaskProgram(), TaskProgram()
    started: list[list[int]] = []

    class TimedSeat(StreamSeat):
        """Remembers which bots had been started when its start-up budget began."""

        async def welcome(self, welcome: pigpen.Welcome) -> None:
            started.append([len(each.instances) for each in programs])
            await super().welcome(welcome)

    monkeypatch.setattr("ladder.matches.play.StreamSeat", TimedSeat)
    result, logs = await play(*programs)
    assert started == [[1, 1, 1, 1]] * 4
    assert [row.faults for row in result.results] == [0, 0, 0, 0]
    assert logs == ("what it wrote",) * 4


async def test_a_start_that_fails_voids_the_match_and_leaves_no_instance_running() -> None:
    good = TaskProgram()
    with pytest.raises(SandboxError, match="no room"):
        await play(good, good, good, TaskProgram(start_takes=0.1, start_fails=True))
    assert all(instance._task.done() for instance in good.instances)


async def test_where_one_container_is_lost_the_match_is_void_and_says_whose_it_was() -> None:
    with pytest.raises(ContainerLost, match=r"The match is void\.$") as failure:
        await play(TaskProgram(), TaskProgram(), Losing(ContainerLost("It was killed.")), TaskProgram())
    assert failure.value.bot == 2


@pytest.mark.parametrize("second", [ContainerLost("It was killed."), SandboxError("The engine is gone.")])
async def test_where_several_are_lost_at_once_nobody_is_named(second: SandboxError) -> None:
    with pytest.raises(SandboxError) as failure:
        await play(TaskProgram(), Losing(second), Losing(ContainerLost("It was killed.")), TaskProgram())
    assert getattr(failure.value, "bot", None) is None


@pytest.mark.parametrize("concurrency", [1, 2, 4])
async def test_where_the_last_table_cannot_start_all_are_cleared_away(concurrency: int) -> None:
    spec = MatchSpec(PRESETS["hearts"], ("a", "b", "c", "d"), Format(boards=2), PATIENT, bytes(32))
    good, breaking = TaskProgram(), Breaking(starts=3)
    with pytest.raises(SandboxError, match="no room"):
        await play_sandboxed(spec, [good, breaking, good, good], lambda line: None, concurrency=concurrency)
    assert len(good.instances) >= 3
    assert all(instance._task.done() for instance in (*good.instances, *breaking.instances))


async def test_each_table_has_fresh_instances_and_its_own_output() -> None:
    spec = MatchSpec(PRESETS["hearts"], ("a", "b", "c", "d"), Format(boards=2), PATIENT, bytes(32))
    programs = [TaskProgram() for _ in range(4)]
    played = await play_sandboxed(spec, programs, lambda line: None, concurrency=2)
    assert [len(program.instances) for program in programs] == [4, 4, 4, 4]
    assert played.logs == dict.fromkeys(range(4), ("what it wrote",) * 4)


async def test_a_clean_up_that_fails_does_not_undo_a_finished_match() -> None:
    result, logs = await play(TaskProgram(stop_fails=True), TaskProgram(), TaskProgram(), TaskProgram())
    assert [row.faults for row in result.results] == [0, 0, 0, 0]
    assert logs[0].endswith(": the engine is gone]")


async def test_a_folder_too_deep_for_a_socket_is_the_platforms_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    with pytest.raises(SandboxError, match="Set TMPDIR to a folder"):
        await play(*(TaskProgram() for _ in range(4)))


KILLED = (
    "from ladder.sandbox.host.scratch import scratch_folder\nwith scratch_folder() as f: print(f, flush=True); input()"
)


def test_the_next_start_removes_the_folder_of_a_process_that_was_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", KILLED], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        folder = Path(other.stdout.readline().decode().strip())
        with scratch_folder() as mine:
            assert folder.exists()
            os.kill(other.pid, signal.SIGKILL)
            other.wait()
            with scratch_folder():
                assert not folder.exists()
                assert mine.exists()
    assert not mine.exists()
    assert folder.name.startswith(PREFIX)


@pytest.mark.parametrize("mark", [None, ""])
def test_a_folder_whose_maker_was_killed_before_it_was_marked_goes_when_it_is_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str | None
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    unmarked, fresh = tmp_path / f"{PREFIX}old", tmp_path / f"{PREFIX}new"
    for folder in (unmarked, fresh):
        folder.mkdir()
        if mark is not None:
            (folder / OWNER).write_text(mark)
    os.utime(unmarked, (0, 0))
    with scratch_folder() as mine:
        assert sorted(tmp_path.iterdir()) == sorted([mine, fresh])


class FallingSeat(TrialSeat):
    """A seat whose folder is removed and whose stream breaks with the first answer."""

    def _receive(self, data: bytes) -> None:
        if self._server.socket.parent.exists():
            shutil.rmtree(self._server.socket.parent)
            self.cut_at_next_answer()
        super()._receive(data)


async def test_a_seat_whose_folder_is_gone_in_mid_match_voids_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladder.matches.play.StreamSeat", FallingSeat)
    programs = [TaskProgram() for _ in range(4)]
    with pytest.raises(SandboxError, match=r"seat\.sock cannot .* is gone\."):
        await play(*programs)
    assert all(instance._task.done() for program in programs for instance in program.instances)


class MislaidSeat(StreamSeat):
    """A seat whose socket is removed before the bot connects."""

    async def listen(self) -> None:
        await super().listen()
        self._server.socket.unlink()


async def test_a_removed_socket_is_not_held_against_the_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladder.matches.play.StreamSeat", MislaidSeat)
    with pytest.raises(SandboxError, match=r"seat\.sock was removed"):
        await play(*(TaskProgram() for _ in range(4)))


async def test_a_failure_while_nobody_waits_any_more_undoes_nothing() -> None:
    """The sandbox cannot give the end of a bot that has played all deals."""
    result, _ = await play(TaskProgram(wait_fails=True), TaskProgram(), TaskProgram(), TaskProgram())
    assert [row.faults for row in result.results] == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("runtimes", "wanted"),
    [(("runsc", "runsc"), "runsc"), (("runsc", "runc"), "runc"), (("kata", "crun"), "crun"), ((None, None), None)],
)
def test_the_record_names_the_runtime_that_separates_bots_least(
    runtimes: tuple[str | None, ...], wanted: str | None
) -> None:
    programs = [TaskProgram() for _ in runtimes]
    for program, runtime in zip(programs, runtimes, strict=True):
        program.runtime = runtime
    assert runtime_of(programs) == wanted


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
    with pytest.raises(SandboxError, match="too busy to start"):
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
