"""`pigpen worker`, from the coordinator's side and from that of the person who started it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from ladder.cluster.scheduler_process import SchedulerLost, WorkerLost
from ladder.worker.match_tasks import MatchOutcome, MatchTask
from tests.ladder.cluster.clusters import Cluster, a_cluster
from tests.ladder.worker.test_worker import ONE_DEAL, QUICK, bot
from tests.processes import has_ended
from tests.waiting import PATIENCE

pytestmark = pytest.mark.asyncio(loop_scope="module")
ANSWER = "    numbers, texts = fields(request)\n"
WAITS = """    import os, pathlib, time
    asked, go = pathlib.Path({asked!r}), pathlib.Path({go!r})
    asked.write_text(str(os.getpid()))
    while not go.exists():
        time.sleep(0.02)
"""


class Waiting:
    """A match one of whose bots waits until it may go on."""

    def __init__(self, folder: Path) -> None:
        self.asked, self.go = folder / "asked", folder / "go"
        waits = WAITS.format(asked=str(self.asked), go=str(self.go))
        source = (QUICK / "bot.py").read_text()
        assert ANSWER in source
        (folder / "bot.py").write_text(source.replace(ANSWER, waits + ANSWER))
        bots = (bot("Trotter", folder), *ONE_DEAL.bots[1:])
        clock = ONE_DEAL.clock | {"bank": 60.0, "limit": 60.0}
        self.task = ONE_DEAL.model_copy(update={"bots": bots, "clock": clock})

    async def begun(self) -> int:
        """Wait until the bot was asked; gives its process."""
        async with asyncio.timeout(PATIENCE):
            while not (self.asked.exists() and (text := self.asked.read_text())):
                await asyncio.sleep(0.02)
        return int(text)


@pytest.fixture
def waiting(tmp_path: Path) -> Waiting:
    return Waiting(tmp_path)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running(certificates: Path) -> AsyncIterator[Cluster]:
    """A scheduler that waits for workers that are slow, and is waited for."""
    async with a_cluster(certificates, ttl_seconds=PATIENCE, frozen_seconds=PATIENCE) as cluster:
        yield cluster


@pytest_asyncio.fixture(loop_scope="module")
async def hurried(certificates: Path) -> AsyncIterator[Cluster]:
    """A scheduler that does not wait long for a worker that says nothing; it looks as often as it may be silent."""
    async with a_cluster(certificates, ttl_seconds=20) as cluster:
        yield cluster


async def play(cluster: Cluster, worker: str, task: MatchTask) -> MatchOutcome:
    return MatchOutcome.model_validate_json(await cluster.scheduler.play(worker, task.model_dump_json()))


async def gone(pid: int) -> None:
    """Wait until a process has ended."""
    async with asyncio.timeout(PATIENCE):
        while not has_ended(pid):
            await asyncio.sleep(0.02)


async def test_a_match_is_given_up_and_cleared_away_and_at_a_first_signal_the_next_one_is_finished_and_told(
    cluster: Cluster, waiting: Waiting
) -> None:
    """The second signal comes when there is nothing left to give up."""
    program = cluster.worker("venus", module="tests.ladder.cluster.signalled")
    with capture_logs() as logs:
        worker = await cluster.joined("venus")
        given_up = asyncio.ensure_future(play(cluster, worker, waiting.task))
        pid = await waiting.begun()
        given_up.cancel()
        with pytest.raises(asyncio.CancelledError):
            await given_up
        assert has_ended(pid), "it is cleared away before that is over"
        waiting.asked.unlink()
        playing = asyncio.ensure_future(play(cluster, worker, waiting.task.model_copy(update={"live": "played"})))
        await waiting.begun()
        program.send_signal(signal.SIGTERM)
        while not (report := await cluster.report("alive")).facts or not report.facts.leaving:
            pass
        waiting.go.touch()
        assert (await playing).void is None
    (started,) = (each for each in logs if each["event"] == "worker.started")
    assert (started["worker"], started["worker_name"]) == (0, "venus"), "its lines for the log come with its name"
    assert {(match, attempt) for match, attempt, _ in cluster.events} == {(7, 2)}
    events = [json.loads(line) for _, _, batch in cluster.events for line in batch.splitlines()]
    assert events[0]["type"] == "match"  # of a machine that is behind, later ones are left out
    printed, _ = await asyncio.to_thread(program.communicate)
    assert program.returncode == 143
    finishing, *last = printed.splitlines()[1:]
    assert finishing.startswith("Finishing 1 task;")
    assert last == ["pigpen: Terminated."]


async def test_a_frozen_worker_is_lost_and_comes_again(hurried: Cluster, waiting: Waiting) -> None:
    program = hurried.worker()
    worker = await hurried.joined()
    playing = asyncio.ensure_future(play(hurried, worker, waiting.task))
    pid = await waiting.begun()
    program.send_signal(signal.SIGSTOP)
    with pytest.raises(WorkerLost, match="sent nothing for"):
        await playing
    assert not has_ended(pid)
    program.send_signal(signal.SIGCONT)
    again = await hurried.joined()
    assert again != worker
    await gone(pid)
    assert (await play(hurried, again, ONE_DEAL)).void is None


async def test_what_a_killed_worker_played_is_lost_at_once(cluster: Cluster, waiting: Waiting) -> None:
    program = cluster.worker()
    worker = await cluster.joined()
    playing = asyncio.ensure_future(play(cluster, worker, waiting.task.model_copy(update={"live": "played"})))
    await waiting.begun()
    program.kill()
    with pytest.raises(WorkerLost, match="connection has ended"):
        await playing
    while (await cluster.report("left")).worker != worker:
        pass
    with pytest.raises(WorkerLost, match="has gone"):
        await play(cluster, worker, ONE_DEAL)


async def test_a_worker_whose_scheduler_is_replaced_comes_again_and_at_a_second_signal_gives_up_what_it_plays(
    certificates: Path, waiting: Waiting
) -> None:
    """A scheduler that is frozen is killed by its coordinator (`test_scheduler_process.py`)."""
    async with a_cluster(certificates, ttl_seconds=PATIENCE, frozen_seconds=PATIENCE) as cluster:
        program = cluster.worker()
        worker = await cluster.joined()
        address = cluster.scheduler.address
        playing = asyncio.ensure_future(play(cluster, worker, waiting.task))
        pid = await waiting.begun()
        os.kill(cluster.scheduler.pid, signal.SIGKILL)
        with pytest.raises(SchedulerLost):
            await playing
        await gone(pid)
        await cluster.scheduler.close()
        await cluster.start(address, ttl_seconds=PATIENCE, frozen_seconds=PATIENCE)
        again = await cluster.joined()
        assert (await play(cluster, again, ONE_DEAL)).void is None
        assert program.poll() is None
        waiting.asked.unlink()
        playing = asyncio.ensure_future(play(cluster, again, waiting.task))
        pid = await waiting.begun()
        program.send_signal(signal.SIGINT)
        while not (report := await cluster.report("alive")).facts or not report.facts.leaving:
            pass
        program.send_signal(signal.SIGINT)
        with pytest.raises(WorkerLost):
            await playing
        printed, _ = await asyncio.to_thread(program.communicate)
        assert program.returncode == 130, printed
        assert has_ended(pid)
