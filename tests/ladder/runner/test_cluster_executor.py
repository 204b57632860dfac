"""An executor whose tasks are played on other machines; the scheduler does as it is told."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from structlog.testing import capture_logs

from ladder.cluster.scheduler_process import InvalidAnswer, SchedulerLost, WorkerLost
from ladder.errors import SandboxError, StoreError
from ladder.runner.calibration import CalibrationDiffers
from ladder.runner.cluster_dispatch import EXCHANGE_SECONDS, PATIENCE, ClusterDispatch
from ladder.runner.cluster_executor import ClusterExecutor
from ladder.runner.executor import Judgement, NotPlayed
from ladder.runner.fleet import Fleet
from ladder.values.cluster import WorkerState
from ladder.worker.match_tasks import ProbeTask
from tests import waiting
from tests.ladder.runner.fleets import DEMANDS, joined, left

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from ladder.values.cluster import WorkerReport

"""More seconds than anything here takes."""


class FakeScheduler:
    """Answers as `answer` says: with a text, an error, or never (None)."""

    def __init__(self, take_report: Callable[[WorkerReport], None]) -> None:
        self.address = "tls://127.0.0.1:1"
        self.take_report = take_report
        self.has_ended = False
        self.answer: Callable[[str, str], str | Exception | None] = lambda worker, task: f"{worker} played {task}"
        self.played: list[tuple[str, str]] = []
        self.last: WorkerReport | None = None
        self.given_up: list[str] = []
        self.turned_away: dict[str, str] = {}

    async def play(self, worker: str, task: str) -> str:
        """Note it, and answer."""
        self.played.append((worker, task))
        answer = self.answer(worker, task)
        if isinstance(answer, Exception):
            raise answer
        if answer is None:
            try:
                await asyncio.Event().wait()
            finally:
                self.given_up.append(task)
        return str(answer)

    def turn_away(self, worker: str, sentence: str) -> None:
        """Note it."""
        self.turned_away[worker] = sentence

    async def close(self) -> None:
        """End, after `last` was heard."""
        if self.last:
            self.take_report(self.last)
        self.has_ended = True


class FakeCalibration:
    """Everybody passes, unless `failure` says otherwise."""

    def __init__(self) -> None:
        self.failure: Exception | Callable[[], Exception] | None = None

    async def speed(self, play: Callable[[str], Awaitable[str]]) -> float:
        """Ask nobody."""
        if self.failure:
            raise self.failure if isinstance(self.failure, Exception) else self.failure()
        return 100.0


class TestedCluster:
    """A cluster executor, and what is around it."""

    __test__ = False

    def __init__(
        self, most: int | None = None, patience: float = PATIENCE, exchange_seconds: float = EXCHANGE_SECONDS
    ) -> None:
        self.schedulers: list[FakeScheduler] = []
        self.calibration = FakeCalibration()
        self.fleet = Fleet(DEMANDS, time.time, time.monotonic)
        self.changes = 0
        self.exchange_error: Exception | None = None
        self.exchanges = 0
        dispatch = ClusterDispatch(
            self.fleet, self._start, self.calibration, ProbeTask(sandbox="process"), self._exchange, self._changed,  # type: ignore[arg-type]
            patience=patience, exchange_seconds=exchange_seconds,
        )  # fmt: skip
        self.executor = ClusterExecutor(dispatch, most)

    @property
    def scheduler(self) -> FakeScheduler:
        """The one that runs now."""
        return self.schedulers[-1]

    def tell(self, *reports: WorkerReport) -> None:
        """Let the scheduler tell of workers."""
        for each in reports:
            self.executor._loop.call_soon_threadsafe(self.scheduler.take_report, each)

    def submit(self, key: str, *bots: str) -> Future[str]:
        """Submit a task."""
        return self.executor.submit(json.dumps({"match": 7, "bots": [{"identity": bot} for bot in bots]}), key)

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something is so."""
        waiting.until(condition)

    def state(self, name: str = "barn") -> WorkerState | None:
        """Give the state of a worker."""
        worker = self.fleet.workers.get(name)
        return worker.state if worker else None

    async def _start(self, take_report: Callable[[WorkerReport], None]) -> FakeScheduler:
        self.schedulers.append(FakeScheduler(take_report))
        return self.scheduler

    async def _exchange(self, fleet: Fleet) -> None:
        self.exchanges += 1
        if self.exchange_error:
            raise self.exchange_error

    def _changed(self) -> None:
        self.changes += 1


@pytest.fixture
def cluster() -> Iterator[TestedCluster]:
    cluster = TestedCluster()
    yield cluster
    cluster.executor.close()


def with_workers(cluster: TestedCluster, *names: str, slots: int = 2) -> TestedCluster:
    cluster.tell(*(joined(name, slots=slots) for name in names))
    cluster.until(lambda: cluster.executor.slots == slots * len(names))
    return cluster


def test_slots_are_those_of_the_workers_and_somebody_is_told_when_they_change(cluster: TestedCluster) -> None:
    assert cluster.executor.slots == 0
    changes = cluster.changes
    with_workers(cluster, "barn", "hut")
    assert cluster.executor.slots == 4
    assert cluster.changes > changes
    cluster.tell(left("hut"))
    cluster.until(lambda: cluster.executor.slots == 2)


def test_no_more_slots_are_offered_than_somebody_wants() -> None:
    cluster = TestedCluster(most=3)
    cluster.tell(joined("barn", slots=8))
    cluster.until(lambda: cluster.executor.slots == 3)
    cluster.executor.close()


def test_a_task_is_played_by_one_worker(cluster: TestedCluster) -> None:
    with_workers(cluster, "barn", "hut")
    cluster.scheduler.answer = lambda worker, task: None
    for number in range(5):
        cluster.submit(f"match-{number}-1")
    cluster.until(lambda: len(cluster.scheduler.played) == 4)
    workers = [worker for worker, task in cluster.scheduler.played if "bots" in task]
    assert sorted(workers) == ["tls://barn", "tls://barn", "tls://hut", "tls://hut"]


def test_all_bots_of_a_match_sit_on_one_machine(cluster: TestedCluster) -> None:
    """A task is never divided: one call carries all of its bots."""
    with_workers(cluster, "barn", "hut", "shed")
    cluster.submit("match-1-1", *"abcd").result(waiting.PATIENCE)
    (played,) = [task for _, task in cluster.scheduler.played if "bots" in task]
    assert [bot["identity"] for bot in json.loads(played)["bots"]] == list("abcd")


def test_a_task_that_finds_no_slot_waits_for_one(cluster: TestedCluster) -> None:
    with_workers(cluster, "barn", slots=1)
    cluster.scheduler.answer = lambda worker, task: None
    first = cluster.submit("match-1-1")
    cluster.until(lambda: len(cluster.scheduler.played) == 1)
    second = cluster.submit("match-2-1")
    cluster.scheduler.answer = lambda worker, task: "done"
    first.cancel()
    assert second.result(waiting.PATIENCE) == "done"
    assert len(cluster.scheduler.given_up) == 1


def test_a_task_that_finds_no_slot_for_long_goes_back() -> None:
    cluster = TestedCluster(patience=0.05)
    with pytest.raises(NotPlayed, match="No worker had a slot"):
        cluster.submit("match-1-1").result(waiting.PATIENCE)
    cluster.executor.close()


def test_a_future_that_is_cancelled_while_it_waits_takes_no_slot(cluster: TestedCluster) -> None:
    queued = cluster.submit("match-1-1")
    queued.cancel()
    with pytest.raises(CancelledError):
        queued.result(waiting.PATIENCE)
    with_workers(cluster, "barn", slots=1)
    assert " played " in cluster.submit("match-2-1").result(waiting.PATIENCE)


def test_a_worker_of_another_version_is_told_why_it_must_go(cluster: TestedCluster) -> None:
    cluster.tell(joined(version="0.1"))
    cluster.until(lambda: bool(cluster.scheduler.turned_away))
    assert "install pigpen-arena==1.0" in cluster.scheduler.turned_away["tls://barn"]


@pytest.mark.parametrize("error", [WorkerLost("The worker has gone."), SandboxError("No Docker engine answers.")])
def test_a_failure_is_a_void_attempt_and_the_worker_is_probed(cluster: TestedCluster, error: Exception) -> None:
    with_workers(cluster, "barn", "hut")
    cluster.scheduler.answer = lambda worker, task: error if "bots" in task else ""
    future = cluster.submit("match-1-1")
    with pytest.raises(SandboxError, match=str(error)) as raised:
        future.result(waiting.PATIENCE)
    assert not isinstance(raised.value, NotPlayed)
    assert str(raised.value).startswith("Worker ")
    assert cluster.executor.judge("match-1-1", Judgement.VOID, str(error))
    failed = cluster.scheduler.played[-1][0]
    cluster.until(lambda: (failed, '{"kind":"probe","sandbox":"process"}') in cluster.scheduler.played)
    cluster.until(lambda: cluster.executor.slots == 4)


def test_a_lie_that_the_scheduler_sees_goes_back_and_is_counted(cluster: TestedCluster) -> None:
    with_workers(cluster, "barn")
    cluster.scheduler.answer = lambda worker, task: InvalidAnswer("Its answer is longer than 96 MiB.")
    for number in range(3):
        with pytest.raises(NotPlayed, match="barn gave no true"):
            cluster.submit(f"match-{number}-1").result(waiting.PATIENCE)
    cluster.until(lambda: cluster.state() is WorkerState.DRAINED)
    assert "longer than 96 MiB" in cluster.fleet.drains["barn"]


def test_a_lie_that_the_coordinator_finds_is_counted(cluster: TestedCluster) -> None:
    with_workers(cluster, "barn")
    for number in range(3):
        cluster.submit(f"match-{number}-1").result(waiting.PATIENCE)
        cluster.executor.judge(f"match-{number}-1", Judgement.INVALID, "A worker's record is wrong.")
    cluster.until(lambda: cluster.state() is WorkerState.DRAINED)


def test_one_worker_s_word_that_a_bot_is_lost_is_not_passed_on(cluster: TestedCluster) -> None:
    with_workers(cluster, "barn", "hut", slots=1)
    cluster.scheduler.answer = lambda worker, task: '{"void": "It is gone.", "lost": "sha256:a"}'
    assert json.loads(cluster.submit("match-1-1").result(waiting.PATIENCE))["lost"] is None
    cluster.executor.judge("match-1-1", Judgement.VOID, "It is gone.")
    answers = [cluster.submit(f"match-2-{number}").result(waiting.PATIENCE) for number in range(2)]
    assert "sha256:a" in [json.loads(answer)["lost"] for answer in answers]


def test_what_counts_is_counted(cluster: TestedCluster) -> None:
    with_workers(cluster, "barn")
    cluster.submit("match-7-1").result(waiting.PATIENCE)
    cluster.executor.judge("match-7-1", Judgement.COUNTED)
    cluster.until(lambda: cluster.fleet.workers["barn"].tasks == 1)
    assert cluster.fleet.workers["barn"].last_match == 7


def test_when_the_scheduler_ends_everything_goes_back_and_another_one_is_started(cluster: TestedCluster) -> None:
    with_workers(cluster, "barn")
    first = cluster.scheduler

    def end(worker: str, task: str) -> Exception:
        first.has_ended = True
        return SchedulerLost("The scheduler was ended by signal 9.")

    first.answer = end
    with pytest.raises(NotPlayed, match="signal 9"):
        cluster.submit("match-1-1").result(waiting.PATIENCE)
    cluster.until(lambda: cluster.scheduler is not first)
    cluster.until(lambda: cluster.state() is WorkerState.GONE)
    with_workers(cluster, "barn")
    assert " played " in cluster.submit("match-1-2").result(waiting.PATIENCE)
    assert cluster.fleet.workers["barn"].voids == 0


def test_who_comes_while_the_run_ends_is_not_taken() -> None:
    cluster = TestedCluster()
    with_workers(cluster, "barn")
    cluster.scheduler.last = joined("barn")
    cluster.executor.close()
    assert cluster.state() is WorkerState.GONE
    assert cluster.scheduler.turned_away == {}


def test_a_check_that_the_scheduler_s_end_cuts_short_is_held_against_nobody(cluster: TestedCluster) -> None:
    first = cluster.scheduler

    def end() -> Exception:
        first.has_ended = True
        return SchedulerLost("The scheduler was ended by signal 9.")

    cluster.calibration.failure = end
    cluster.tell(joined())
    cluster.until(lambda: cluster.scheduler is not first)
    cluster.calibration.failure = None
    with_workers(cluster, "barn")
    assert cluster.fleet.workers["barn"].failures == 0


def test_a_worker_whose_calibration_match_differs_is_drained(cluster: TestedCluster) -> None:
    cluster.calibration.failure = CalibrationDiffers("The record of its calibration match is another one.")
    cluster.tell(joined())
    cluster.until(lambda: cluster.state() is WorkerState.DRAINED)
    assert "calibration match is another" in cluster.fleet.drains.pop("barn")
    assert not cluster.fleet.drains
    assert cluster.executor.slots == 0


def test_a_worker_that_cannot_play_its_calibration_match_is_probed_and_calibrated_again(cluster: TestedCluster) -> None:
    cluster.calibration.failure = SandboxError("The disk is full.")
    cluster.tell(joined())
    cluster.until(lambda: cluster.state() is WorkerState.FAILING)
    cluster.calibration.failure = None
    cluster.until(lambda: cluster.executor.slots == 2)


def test_a_database_that_is_gone_for_a_while_stops_no_match() -> None:
    failing = TestedCluster(exchange_seconds=0.01)
    with_workers(failing, "barn")
    failing.exchange_error = StoreError("The database is gone.")
    exchanges = failing.exchanges
    failing.until(lambda: failing.exchanges > exchanges + 2)
    assert " played " in failing.submit("match-1-1").result(waiting.PATIENCE)
    failing.executor.close()


@pytest.mark.parametrize("error", [StoreError("The database is gone."), RuntimeError("It has a mistake.")])
def test_a_run_ends_even_if_its_workers_cannot_be_written_down(error: Exception) -> None:
    cluster = with_workers(TestedCluster(), "barn")
    cluster.exchange_error = error
    exchanges = cluster.exchanges
    with capture_logs() as logs:
        cluster.executor.close()
    assert cluster.exchanges == exchanges + 1
    assert [each["reason"] for each in logs if each["event"] == "workers.unwritten"] == [str(error)]


def test_a_run_without_workers_is_not_ready_and_says_why(cluster: TestedCluster) -> None:
    with pytest.raises(SandboxError, match="No worker is connected"):
        cluster.executor.ready().result(waiting.PATIENCE)
    with_workers(cluster, "barn")
    assert cluster.executor.ready().result(waiting.PATIENCE) is None


def test_closing_gives_up_what_is_played_and_ends_the_scheduler() -> None:
    cluster = with_workers(TestedCluster(), "barn")
    cluster.scheduler.answer = lambda worker, task: None
    future = cluster.submit("match-1-1")
    cluster.until(lambda: len(cluster.scheduler.played) == 1)
    cluster.executor.close()
    assert cluster.scheduler.has_ended
    assert len(cluster.scheduler.given_up) == 1
    with suppress(CancelledError):
        future.result(waiting.PATIENCE)
    assert cluster.state() is WorkerState.GONE


def test_a_task_that_must_be_played_on_one_machine_waits_for_it_while_others_play(cluster: TestedCluster) -> None:
    cluster.tell(*(joined(name, slots=1, process=f"host {name} pid:[1] 7 8") for name in ("barn", "mill")))
    cluster.until(lambda: cluster.executor.slots == 2)
    cluster.scheduler.answer = lambda worker, task: None
    futures = [
        cluster.executor.submit(json.dumps({"match": match, "machine": machine}), f"match-{match}-1")
        for match, machine in ((1, "barn"), (2, "barn"), (3, "mill"))
    ]
    machines = {each.name: (each.free, set(each.matches or ())) for each in cluster.executor.machines() or []}
    assert machines == {"barn": (0, {1, 2}), "mill": (0, {3})}

    def played() -> list[str]:
        return [worker for worker, task in cluster.scheduler.played if "machine" in task]

    cluster.until(lambda: played() == ["tls://barn", "tls://mill"])
    futures[0].cancel()
    cluster.until(lambda: played()[2:] == ["tls://barn"])
