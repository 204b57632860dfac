"""The executor in this process."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING

import pytest

from ladder.errors import SandboxError
from ladder.runner.executor import LocalExecutor
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from ladder.worker.match_tasks import load_version
from ladder.worker.worker import Worker
from tests.ladder.worker.test_worker import HONEST, QUICK, bot
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ANSWER = "    numbers, texts = fields(request)\n"
NEVER = """    import time
    open({asked!r}, "w").close()
    time.sleep(1000)
"""
PATIENT = HONEST.clock | {"bank": 6000.0, "limit": 3600.0}


class EchoWorker:
    """Answers with the task; one called ``hang`` never, until it is given up: that takes a helper and a while."""

    def __init__(self) -> None:
        self.began, self.given_up, self.closed = threading.Event(), threading.Event(), threading.Event()
        self.cleared_away = False

    async def play(self, task: str) -> str:
        if task != "hang":
            return f"{task} in {threading.current_thread().name}"
        helper = asyncio.ensure_future(asyncio.Event().wait())
        self.began.set()
        try:
            await asyncio.sleep(1e6)
        finally:
            self.given_up.set()
            for _ in range(10):
                await asyncio.sleep(0)
            self.cleared_away = helper.cancel()
        return ""

    async def ready(self) -> None:
        raise SandboxError("No engine answers.")

    async def close(self) -> None:
        self.closed.set()


@pytest.fixture
def worker() -> EchoWorker:
    return EchoWorker()


@pytest.fixture
def executor(worker: EchoWorker) -> Iterator[LocalExecutor]:
    executor = LocalExecutor(worker, 2)
    yield executor
    executor.close()


def test_tasks_are_worked_at_in_another_thread(executor: LocalExecutor) -> None:
    assert executor.submit("task", "match-1-1").result() == "task in matches"


def test_a_future_that_is_cancelled_gives_the_task_up(executor: LocalExecutor, worker: EchoWorker) -> None:
    future = executor.submit("hang", "match-1-1")
    worker.began.wait()
    assert future.cancel()
    assert worker.given_up.wait(PATIENCE)


def test_one_task_that_hangs_does_not_hold_up_another(executor: LocalExecutor, worker: EchoWorker) -> None:
    executor.submit("hang", "match-1-1")
    worker.began.wait()
    assert executor.submit("task", "match-2-1").result() == "task in matches"


def test_what_is_missing_comes_out_of_the_future(executor: LocalExecutor) -> None:
    with pytest.raises(SandboxError, match="No engine answers"):
        executor.ready().result()


def test_closing_gives_everything_up_and_clears_it_away(worker: EchoWorker) -> None:
    executor = LocalExecutor(worker, 2)
    future = executor.submit("hang", "match-1-1")
    worker.began.wait()
    executor.close()
    assert worker.cleared_away
    assert worker.closed.is_set()
    with pytest.raises(CancelledError):
        future.result()


@pytest.mark.parametrize("cancelled_before", [False, True])
def test_closing_in_mid_match_ends_tables_in_their_own_order(tmp_path: Path, cancelled_before: bool) -> None:
    asked, folder = tmp_path / "asked", tmp_path / "bot"
    folder.mkdir()
    source = (QUICK / "bot.py").read_text()
    assert ANSWER in source
    (folder / "bot.py").write_text(source.replace(ANSWER, NEVER.format(asked=str(asked)) + ANSWER))
    sandbox = ProcessSandbox()
    executor = LocalExecutor(Worker(load_version, lambda *_: sandbox), 1)
    bots = tuple(bot(each.name, folder) for each in HONEST.bots)
    future = executor.submit(
        HONEST.model_copy(update={"bots": bots, "clock": PATIENT, "seconds": 1800.0}).model_dump_json(), "match-7-2"
    )
    while not asked.exists():
        assert not future.done()
        time.sleep(0.01)
    if cancelled_before:
        future.cancel()
    executor.close()
    assert not executor._thread.is_alive()
    assert sandbox._instances == set()
    assert future.cancelled()


def test_closing_lets_a_task_that_was_given_up_clear_away(worker: EchoWorker) -> None:
    executor = LocalExecutor(worker, 2)
    future = executor.submit("hang", "match-1-1")
    worker.began.wait()
    future.cancel()
    executor.close()
    assert worker.cleared_away
