"""Choice of the worker process that plays a task, and replacement of one that has ended."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from ladder.errors import SandboxError
from ladder.worker.channel import MessageKind
from ladder.worker.worker_pool import MAX_KNOWN, WorkerPool


class FakeProcess:
    """Plays each task until the test ends it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.playing: dict[str, asyncio.Future[str]] = {}
        self.has_ended = False
        self.checks: list[str] = []
        self.is_down = False

    async def call(self, kind: MessageKind, body: str = "") -> str:
        if kind is MessageKind.READY:
            self.checks.append(body)
            if self.is_down:
                raise SandboxError("No engine answers.")
            return ""
        self.playing[body] = asyncio.get_running_loop().create_future()
        return await self.playing[body]

    def die(self) -> None:
        self.has_ended = True
        for playing in self.playing.values():
            playing.set_exception(SandboxError("It was ended by signal 9."))

    async def close(self) -> None:
        self.has_ended = True


class Machine:
    """Starts fake processes, and can be made to fail."""

    def __init__(self) -> None:
        self.started: list[FakeProcess] = []
        self.is_full = False

    async def start(self, number: int, count: int) -> Any:
        await asyncio.sleep(0)
        if self.is_full:
            raise SandboxError("No worker process can be started.")
        self.started.append(FakeProcess(number))
        return self.started[-1]

    @property
    def loads(self) -> list[tuple[int, int]]:
        """Of each process: its number, and how many tasks it plays."""
        return [(each.number, sum(not one.done() for one in each.playing.values())) for each in self.started]


@pytest.fixture
def machine() -> Machine:
    return Machine()


def task(number: int, *bots: str) -> str:
    return json.dumps({"match": number, "bots": [{"identity": bot} for bot in bots]})


async def begin(workers: WorkerPool, *tasks: str) -> list[asyncio.Task[str]]:
    playing = [asyncio.ensure_future(workers.play(each)) for each in tasks]
    for _ in range(5):
        await asyncio.sleep(0)
    return playing


async def finish(machine: Machine, *tasks: str) -> None:
    for process in machine.started:
        for each in tasks:
            if each in process.playing:
                process.playing[each].set_result("done")
    for _ in range(5):
        await asyncio.sleep(0)


async def test_each_task_begins_at_once_where_the_fewest_are_played(machine: Machine) -> None:
    await begin(WorkerPool(3, machine.start), *(task(number, "a") for number in range(7)))
    assert sorted(machine.loads) == [(0, 3), (1, 2), (2, 2)]


async def test_no_more_processes_are_started_than_play(machine: Machine) -> None:
    workers = WorkerPool(3, machine.start)
    for number in range(4):
        await begin(workers, task(number, "a"))
        await finish(machine, task(number, "a"))
    assert machine.loads == [(0, 0)]


async def test_among_equals_it_is_the_one_that_has_loaded_the_bots(machine: Machine) -> None:
    workers = WorkerPool(2, machine.start)
    both = [task(1, "a", "b"), task(2, "c", "d")]
    await begin(workers, *both)
    await finish(machine, *both)
    again = task(3, "c", "d")
    await begin(workers, again)
    assert again in machine.started[1].playing


async def test_what_was_loaded_long_ago_is_forgotten(machine: Machine) -> None:
    workers = WorkerPool(2, machine.start)
    both = [task(1, *map(str, range(MAX_KNOWN + 1))), task(2, "0")]
    await begin(workers, *both)
    await finish(machine, *both)
    await begin(workers, task(3, "0"))
    assert task(3, "0") in machine.started[1].playing


async def test_one_that_has_ended_is_replaced_by_the_next_task(machine: Machine) -> None:
    workers = WorkerPool(2, machine.start)
    lost, kept = await begin(workers, task(1, "a"), task(2, "a"))
    machine.started[0].die()
    with pytest.raises(SandboxError, match="signal 9"):
        await lost
    assert len(machine.started) == 2
    await begin(workers, task(3, "a"))
    assert machine.loads == [(0, 0), (1, 1), (0, 1)]
    assert not kept.done()


async def test_a_process_that_cannot_be_started_is_tried_again_by_the_next_task_only(machine: Machine) -> None:
    workers = WorkerPool(1, machine.start)
    machine.is_full = True
    for attempt in (workers.play(task(1, "a")), workers.ready()):
        with pytest.raises(SandboxError, match="No worker process can be started"):
            await attempt
    machine.is_full = False
    await workers.ready()
    await begin(workers, task(1, "a"))
    assert machine.loads == [(0, 1)]


async def test_all_living_ones_are_asked_whether_they_are_ready(machine: Machine) -> None:
    workers = WorkerPool(3, machine.start)
    await workers.ready()
    assert [len(each.checks) for each in machine.started] == [1]
    await begin(workers, task(1, "a"), task(2, "a"))
    machine.started[1].is_down = True
    with pytest.raises(SandboxError, match="No engine answers"):
        await workers.ready()
    assert [len(each.checks) for each in machine.started] == [2, 1]


async def test_closing_closes_all_of_them(machine: Machine) -> None:
    workers = WorkerPool(3, machine.start)
    await begin(workers, task(1, "a"), task(2, "a"))
    machine.started[0].die()
    await workers.close()
    assert [each.has_ended for each in machine.started] == [True, True]
