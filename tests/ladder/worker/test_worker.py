"""A worker answers every task, with a record or with the reason why there is none."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from structlog.testing import capture_logs

from ladder.errors import SandboxError
from ladder.matches.play import sandboxed_table
from ladder.sandbox.bots.content import content_hash
from ladder.sandbox.host.machine import this_machine
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from ladder.values.sandbox_kind import SandboxKind, SandboxSetup
from ladder.worker.live_observer import LiveObserver
from ladder.worker.match_tasks import MatchOutcome, MatchTask, ProbeTask, TaskBot, load_version
from ladder.worker.worker import Worker
from referee.replay.verify import verify
from tests.ladder.worker.test_match_tasks import TASK

if TYPE_CHECKING:
    from ladder.matches.play import ProgramSeat
    from ladder.sandbox.base import Program, Sandbox

QUICK = Path(__file__).parents[2] / "e2e" / "quick"


def bot(name: str, folder: Path = QUICK) -> TaskBot:
    identity = f"sha256:{content_hash(folder)}"
    return TaskBot(name=name, identity=identity, sandbox=SandboxKind.PROCESS, folder=str(folder))


HONEST = TASK.model_copy(update={"bots": tuple(bot(each.name) for each in TASK.bots)})
ONE_DEAL = HONEST.model_copy(update={"format": "deals:1"})
"""It takes a quarter of the bots' processes."""


@pytest.fixture
async def worker() -> AsyncIterator[Worker]:
    worker = Worker(load_version)
    yield worker
    await worker.close()


async def play(worker: Worker, task: MatchTask) -> MatchOutcome:
    return MatchOutcome.model_validate_json(await worker.play(task.model_dump_json()))


async def test_a_task_becomes_the_record_of_its_match_with_its_times_and_each_program_is_loaded_once(
    worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []

    async def load(sandbox: Sandbox, bot: TaskBot) -> Program:
        loaded.append(bot.name)
        return await load_version(sandbox, bot)

    open_tables: list[int] = []
    at_once: list[int] = []

    @asynccontextmanager
    async def counted(*arguments: Any, **more: Any) -> AsyncIterator[Sequence[ProgramSeat]]:
        open_tables.append(1)
        at_once.append(len(open_tables))
        try:
            async with sandboxed_table(*arguments, **more) as seats:
                yield seats
        finally:
            open_tables.pop()

    monkeypatch.setattr(worker, "_load", load)
    monkeypatch.setattr("ladder.matches.play.sandboxed_table", counted)
    began = time.monotonic()
    outcome = await play(worker, HONEST)
    assert at_once == [1] * 4  # the rotations of a board, one after the other: no two share cores and caches
    assert (outcome.match, outcome.attempt, outcome.void) == (7, 2, None)
    assert outcome.starting_seconds
    assert outcome.playing_seconds
    assert outcome.starting_seconds + outcome.playing_seconds <= time.monotonic() - began
    path = tmp_path / "match.jsonl.gz"
    path.write_bytes(outcome.record or b"")
    held = verify(path)
    assert (held.difference, held.finished, held.deals) == (None, True, 4)
    assert held.match is not None
    assert held.match.bots == tuple(each.name for each in HONEST.bots)
    assert held.match.machine == str(this_machine())
    await play(worker, ONE_DEAL)
    assert loaded == ["Trotter"]


async def test_a_probe_fails_where_tasks_of_its_kind_cannot_be_played(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise SandboxError("No Docker engine answers.")

    monkeypatch.setattr("ladder.worker.worker._find_engine", fail)
    assert await worker.play(ProbeTask(sandbox=SandboxKind.PROCESS).model_dump_json()) == ""
    with pytest.raises(SandboxError, match="No Docker engine answers"):
        await worker.play(ProbeTask(sandbox=SandboxKind.DOCKER).model_dump_json())


async def test_what_bots_print_comes_back_by_table_and_bot(worker: Worker, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(f"print('I am here')\n{(QUICK / 'bot.py').read_text()}")
    bots = (bot("Trotter", tmp_path), *HONEST.bots[1:])
    outcome = await play(worker, HONEST.model_copy(update={"bots": bots}))
    assert sorted(outcome.logs) == [0, 1, 2, 3]
    for tails in outcome.logs.values():
        assert "I am here" in tails[0]
        assert tails[1:] == ("", "", "")


async def test_what_is_told_of_a_match_is_all_there_before_its_outcome_and_what_cannot_be_told_harms_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    batches: list[tuple[int, int, str]] = []

    def offer(match: int, attempt: int, batch: str) -> bool:
        batches.append((match, attempt, batch))
        return True

    worker = Worker(load_version, offer=offer)
    await play(worker, ONE_DEAL.model_copy(update={"live": "played"}))
    assert {(match, attempt) for match, attempt, _ in batches} == {(7, 2)}
    live_events = [json.loads(line) for *_, batch in batches for line in batch.split("\n")]
    assert (live_events[0]["type"], live_events[-1]["type"]) == ("match", "result")
    assert [event["type"] for event in live_events].count("play") == 52
    batches.clear()
    await play(worker, ONE_DEAL)
    assert batches == []

    def fail(*_: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(LiveObserver, "decided", fail)
    with capture_logs() as logs:
        outcome = await play(worker, ONE_DEAL.model_copy(update={"live": "played"}))
    assert outcome.void is None, "what cannot be told harms no match"
    assert [(event["event"], event["match"], event["reason"]) for event in logs] == [
        ("live.failed", 7, "ZeroDivisionError: division by zero")
    ]
    await worker.close()


async def test_a_match_that_takes_too_long_is_void_and_leaves_no_process(tmp_path: Path) -> None:
    sandbox = ProcessSandbox()
    worker = Worker(load_version, lambda setup: sandbox)
    (tmp_path / "bot.py").write_text("import time; time.sleep(1000)")
    bots = tuple(bot(each.name, tmp_path) for each in TASK.bots)
    outcome = await play(worker, TASK.model_copy(update={"bots": bots, "seconds": 0.5}))
    assert str(outcome.void).endswith("over after 0.5 seconds.")
    assert sandbox._instances == set()
    await worker.close()


async def test_a_version_that_is_gone_is_the_platform_s_failure(worker: Worker, tmp_path: Path) -> None:
    gone = ONE_DEAL.bots[0].model_copy(update={"folder": str(tmp_path / "gone")})
    outcome = await play(worker, ONE_DEAL.model_copy(update={"bots": (gone, *ONE_DEAL.bots[1:])}))
    assert outcome.void is not None
    assert outcome.void.startswith("Trotter, which was entered")
    assert outcome.lost == gone.identity


async def test_a_mistake_of_the_platform_s_own_is_a_void_match_too(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def load(sandbox: Sandbox, bot: TaskBot) -> Program:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(worker, "_load", load)
    outcome = await play(worker, ONE_DEAL)
    assert str(outcome.void).endswith("ZeroDivisionError: division by zero")


class NotedSandbox(ProcessSandbox):
    """A process sandbox that knows whether it was closed, and can be made to fail."""

    def __init__(self) -> None:
        super().__init__()
        self.closed = 0

    async def close(self) -> None:
        self.closed += 1
        await super().close()


async def test_a_sandbox_that_failed_is_closed_after_its_last_match_and_the_next_match_gets_a_fresh_one() -> None:
    opened: list[NotedSandbox] = []
    loading, may_load = asyncio.Event(), asyncio.Event()

    def open_sandbox(setup: SandboxSetup) -> Sandbox:
        opened.append(NotedSandbox())
        return opened[-1]

    async def load(sandbox: Sandbox, bot: TaskBot) -> Program:
        if bot.name == "Failing":
            raise SandboxError("No engine answers.")
        if not loading.is_set():
            loading.set()
            await may_load.wait()
        return await load_version(sandbox, bot)

    worker = Worker(load, open_sandbox)
    failing = ONE_DEAL.model_copy(update={"bots": (bot("Failing"), *ONE_DEAL.bots[1:])})
    first = asyncio.create_task(play(worker, ONE_DEAL))
    await loading.wait()
    assert (await play(worker, failing)).void == "No engine answers."
    assert [each.closed for each in opened] == [0]
    assert (await play(worker, ONE_DEAL)).void is None
    may_load.set()
    assert (await first).void is None
    assert [each.closed for each in opened] == [1, 0]
    await worker.close()
    assert [each.closed for each in opened] == [1, 1]


async def test_it_is_ready_where_there_is_room_and_leaves_nothing_there(
    worker: Worker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    await worker.ready()
    assert list(tmp_path.iterdir()) == []


async def test_it_is_not_ready_without_room(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/nowhere")  # a short path, as sockets need
    with pytest.raises(SandboxError, match="cannot be made"):
        await worker.ready()
