"""The ladder's loop, with an executor that does as it is told, in virtual time."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
from sqlalchemy import select
from structlog.testing import capture_logs

from ladder.errors import SandboxError, StoreError
from ladder.runner import submission_coordinator
from ladder.runner.coordinator import MIN_MATCHES, Coordinator
from ladder.runner.executor import Judgement, NotPlayed
from ladder.runner.run_log import LONGEST_PAUSE
from ladder.runner.runner import IDLE_SECONDS, Runner, StopCondition, TooFewBots
from ladder.settings.settings import Settings, load_settings
from ladder.store import models
from ladder.store.commands.opening import open_ladder
from ladder.store.commands.queue import MATCHES
from ladder.store.leases import GRACE, MAX_FAILURES, MAX_LOSSES
from ladder.store.models import Status
from ladder.store.turns import open_submissions
from tests.ladder.ladders import enter
from tests.ladder.virtual import FakeExecutor, Time, recorded, void

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.store.database import Database
    from ladder.worker.match_tasks import MatchOutcome, MatchTask

NAMES = ("Trotter", "Snout", "Truffle", "Sty", "Boar")
DOWN = SandboxError("No Docker engine answers.")
LOST = "A bot's container was killed from outside, and not through its engine. The match is void."


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    # Of few owners: with a kernel for each container they may play in two matches at once.
    return load_settings(data_dir=tmp_path, boards=1, match_seconds=1800.0, runtime="runsc")


@pytest.fixture
def database(settings: Settings) -> Iterator[Database]:
    """A ladder of five bots that play hearts."""
    database = open_ladder(settings, create=True)
    with database.write() as session:
        for name in NAMES:
            enter(session, name)
    yield database
    database.close()


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def coordinator(database: Database, settings: Settings, time: Time) -> Coordinator:
    return Coordinator(database, settings, random.Random(7), time, tick=time)


@pytest.fixture
def executor(time: Time) -> FakeExecutor:
    return FakeExecutor(time)


def runner(coordinator: Coordinator, executor: FakeExecutor, time: Time, until: StopCondition | None = None) -> Runner:
    return Runner(coordinator, executor, until or StopCondition(matches=4))


def statuses(database: Database) -> Counter[str]:
    with database.read() as session:
        return Counter(session.scalars(select(models.StoredMatch.status)))


def ordinals(database: Database) -> list[int | None]:
    with database.read() as session:
        done = (
            select(models.StoredMatch.ordinal)
            .where(models.StoredMatch.status == Status.DONE)
            .order_by(models.StoredMatch.ordinal)
        )
        return list(session.scalars(done))


def files(coordinator: Coordinator) -> list[str]:
    return sorted(path.name for path in coordinator.files.root.rglob("*") if path.is_file())


def events(logs: list[Any], name: str) -> list[Any]:
    return [log for log in logs if log["event"] == name]


def test_a_run_records_as_many_matches_as_it_was_told(
    coordinator: Coordinator, executor: FakeExecutor, time: Time, database: Database
) -> None:
    run = runner(coordinator, executor, time, StopCondition(matches=5))
    assert time.run(run.run())
    assert (run.recorded, ordinals(database)) == (5, [1, 2, 3, 4, 5])
    assert statuses(database) == {"done": 5}
    assert (executor.most, len(executor.tasks)) == (2, 5)


def test_each_recorded_match_has_one_record_and_its_logs(
    coordinator: Coordinator, executor: FakeExecutor, time: Time
) -> None:
    time.run(runner(coordinator, executor, time, StopCondition(matches=2)).run())
    assert files(coordinator) == ["1-1.jsonl.gz", "1-1.log.json.gz", "2-1.jsonl.gz", "2-1.log.json.gz"]
    assert coordinator.files.read_logs(1, 1) == {0: ("hello",) * 4}


def test_the_log_tells_of_every_match_and_of_no_seed(
    coordinator: Coordinator, executor: FakeExecutor, time: Time, database: Database
) -> None:
    with capture_logs() as logs:
        time.run(runner(coordinator, executor, time).run())
    assert [len(events(logs, name)) for name in ("match.started", "match.finished")] == [4, 4]
    finished = events(logs, "match.finished")[0]
    assert min(finished["places"]) == 1
    assert abs(sum(finished["moves"])) < 0.1
    for task in executor.tasks:
        assert task.seed not in str(logs)


def test_a_void_match_is_played_again_and_nobody_is_blamed(
    coordinator: Coordinator, executor: FakeExecutor, time: Time, database: Database
) -> None:
    executor.answer = lambda task: void(task) if task.key == "match-1-1" else recorded(task)
    with capture_logs() as logs:
        time.run(runner(coordinator, executor, time).run())
    assert statuses(database) == {"done": 4}
    assert [log["reason"] for log in events(logs, "match.void")] == ["No Docker engine answers."]
    with database.read() as session:
        assert session.get_one(models.StoredMatch, 1).failures == 1
        assert session.scalars(select(models.StoredFault)).all() == []
        assert set(session.scalars(select(models.Rating.recent))) <= {"", ".", "..", "...", "...."}


def test_a_match_that_is_void_again_and_again_is_set_aside_and_the_others_go_on(
    coordinator: Coordinator, executor: FakeExecutor, time: Time, database: Database
) -> None:
    executor.answer = lambda task: void(task) if task.match == 1 else recorded(task)
    with capture_logs() as logs:
        time.run(runner(coordinator, executor, time).run())
    assert statuses(database) == {"done": 4, "quarantined": 1}
    assert [log["match"] for log in events(logs, "match.quarantined")] == [1]
    assert sum(task.match == 1 for task in executor.tasks) == MAX_FAILURES


def test_a_bot_that_keeps_failing_is_suspended_and_plays_no_more(
    coordinator: Coordinator, executor: FakeExecutor, time: Time, database: Database
) -> None:
    executor.answer = lambda task: recorded(task, sinner="Boar")
    with capture_logs() as logs:
        time.run(runner(coordinator, executor, time, StopCondition(matches=20)).run())
    assert [(log["bot"], log["variant"]) for log in events(logs, "bot.suspended")] == [("Boar", "hearts")]
    suspended = next(number for number, log in enumerate(logs) if log["event"] == "bot.suspended")
    started = events(logs[suspended:], "match.started")
    assert len(started) >= 10
    assert "Boar" not in {bot for log in started for bot in log["bots"]}


def plays(task: MatchTask, name: str) -> bool:
    return name in {bot.name for bot in task.bots}


def suspended(logs: list[Any]) -> list[str]:
    return [log["bot"] for log in events(logs, "bot.suspended")]


@pytest.mark.parametrize("is_cluster", [False, True])
def test_a_bot_whose_container_is_always_lost_is_suspended_and_the_others_play_on(
    coordinator: Coordinator, executor: FakeExecutor, time: Time, database: Database, is_cluster: bool
) -> None:
    began = time.now
    executor.sees_to = is_cluster
    executor.answer = lambda task: void(task, LOST, "Boar") if plays(task, "Boar") else recorded(task)
    with capture_logs() as logs:
        time.run(runner(coordinator, executor, time, StopCondition(matches=6)).run())
    assert suspended(logs) == ["Boar"]
    assert [log["bot"] for log in events(logs, "match.void")] == ["Boar"] * len(events(logs, "match.void"))
    assert len(events(logs, "match.finished")) == 6
    assert time.now - began < 60, "nobody waits for a platform that works"
    with database.read() as session:
        boar = session.scalars(select(models.Rating).where(models.Rating.state == models.State.SUSPENDED)).one()
        assert "its container was killed, " in boar.reason
        assert boar.reason.endswith("It plays again after 1 hour.")
        assert session.scalars(select(models.StoredFault)).all() == []


@pytest.mark.parametrize("is_down", [True, False])
def test_a_bot_is_suspected_of_a_match_without_a_reason_only_where_the_platform_works(
    coordinator: Coordinator, executor: FakeExecutor, time: Time, database: Database, is_down: bool
) -> None:
    """The engine is found to be down once after each void match, and works for the next one."""
    down: list[bool] = []

    def answer(task: MatchTask) -> MatchOutcome:
        if task.attempt > 2:
            return recorded(task)
        down.append(is_down)
        return void(task, "It was not over after 1800 seconds.")

    executor.answer = answer
    executor.is_ready = lambda: DOWN if down and down.pop() else None
    time.run(runner(coordinator, executor, time, StopCondition(matches=2)).run())
    with database.read() as session:
        noted = session.scalars(select(models.VoidAttempt)).all()
        assert [(void.match_id, void.version_id) for void in noted] == ([] if is_down else [(1, None), (2, None)] * 2)


def test_a_worker_that_names_a_bot_that_did_not_play_has_not_answered(
    coordinator: Coordinator, executor: FakeExecutor, time: Time
) -> None:
    wrong = {"broke": 4}
    executor.answer = lambda task: void(task).model_copy(update=wrong) if task.key == "match-1-1" else recorded(task)
    with capture_logs() as logs:
        time.run(runner(coordinator, executor, time).run())
    assert ["names a bot that" in log["reason"] for log in events(logs, "match.void")] == [True]


def test_an_engine_that_is_down_for_an_hour_costs_the_matches_under_way_one_failure_each(
    coordinator: Coordinator, executor: FakeExecutor, time: Time, database: Database
) -> None:
    began, tries = time.now, []

    def is_ready() -> Exception | None:
        tries.append(time.now)
        return DOWN if time.now < began + 3600 else None

    executor.answer = lambda task: void(task) if time.now < began + 3600 else recorded(task)
    executor.is_ready = is_ready
    with capture_logs() as logs:
        time.run(runner(coordinator, executor, time).run())
    assert (statuses(database), len(executor.tasks)) == ({"done": 4}, 2 + 4)
    assert [log["reason"] for log in events(logs, "platform.down")] == [str(DOWN)]
    assert len(events(logs, "platform.up")) == 1
    pauses = [later - earlier for earlier, later in pairwise(tries)]
    assert max(pauses) <= LONGEST_PAUSE + executor.probe_seconds + 0.01
    assert len(tries) < 3600 / LONGEST_PAUSE + 10


@pytest.mark.parametrize("stops_after", [None, 100.0])
def test_waiting_for_a_slow_answer_from_the_engine_costs_no_work(
    coordinator: Coordinator, executor: FakeExecutor, time: Time, stops_after: float | None
) -> None:
    began = time.now
    executor.answer = lambda task: void(task) if time.now < began + 3600 else recorded(task)
    executor.is_ready = lambda: DOWN if time.now < began + 3600 else None
    executor.probe_seconds = 30.0
    run = runner(coordinator, executor, time)
    if stops_after:
        time.after(stops_after, run.stop)
    time.run(run.run())
    assert time.waits < 2 * 3600 / LONGEST_PAUSE + 50


def test_a_stop_while_the_engine_is_down_waits_for_what_is_under_way_without_work(
    coordinator: Coordinator, executor: FakeExecutor, time: Time, database: Database
) -> None:
    executor.answer = lambda task: void(task) if task.match == 1 else None
    executor.is_ready = lambda: DOWN
    run = runner(coordinator, executor, time)
    time.after(10, run.stop)
    assert time.run(run.run())
    assert time.waits < 200
    assert not any(task.match > 2 for task in executor.tasks)


@pytest.mark.parametrize("answer", ["no JSON", '{"match": 99, "attempt": 1, "void": "x"}', RuntimeError("killed")])
def test_an_answer_that_makes_no_sense_is_a_void_match(
    coordinator: Coordinator, executor: FakeExecutor, time: Time, database: Database, answer: str | Exception
) -> None:
    executor.answer = lambda task: answer if task.key == "match-1-1" else recorded(task)
    with capture_logs() as logs:
        time.run(runner(coordinator, executor, time).run())
    assert statuses(database) == {"done": 4}
    assert events(logs, "match.void")[0]["reason"].startswith("Its worker")


def other_cards(task: MatchTask) -> MatchOutcome:
    """A whole record, but of another seed."""
    return recorded(task.model_copy(update={"seed": "00" * 32}))


def changed(task: MatchTask) -> MatchOutcome:
    """A record in which a byte was changed."""
    whole = recorded(task)
    assert whole.record is not None
    return whole.model_copy(update={"record": whole.record[:-20] + bytes([whole.record[-20] ^ 1]) + whole.record[-19:]})


def cut_off(task: MatchTask) -> MatchOutcome:
    """A record without its end."""
    whole = recorded(task)
    assert whole.record is not None
    return whole.model_copy(update={"record": whole.record[:-20]})


@pytest.mark.parametrize("wrong", [other_cards, changed, cut_off])
def test_a_record_that_does_not_hold_never_counts(
    coordinator: Coordinator, executor: FakeExecutor, time: Time, database: Database, wrong: Any
) -> None:
    executor.answer = lambda task: wrong(task) if task.key == "match-1-1" else recorded(task)
    with capture_logs() as logs:
        time.run(runner(coordinator, executor, time).run())
    assert [log["match"] for log in events(logs, "match.void")] == [1]
    assert statuses(database) == {"done": 4}
    assert "1-1.jsonl.gz" not in files(coordinator)
    assert "1-2.jsonl.gz" in files(coordinator)


class Hangs:
    """Lets the first attempt of match 1 hang, until it comes back."""

    def __init__(self, executor: FakeExecutor) -> None:
        self.task: MatchTask | None = None
        self._executor = executor
        executor.answer = self._answer

    def come_back(self) -> None:
        assert self.task
        self._executor.futures[self.task.key].set_result(recorded(self.task).model_dump_json())

    def _answer(self, task: MatchTask) -> MatchOutcome | None:
        if task.match == 1 and not self.task:
            self.task = task
            return None
        return recorded(task)


def test_a_worker_that_hangs_loses_its_lease_and_what_it_says_later_is_not_even_read(
    coordinator: Coordinator,
    executor: FakeExecutor,
    time: Time,
    database: Database,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ladder.runner.runner.LOOK_SECONDS", 30.0)  # a lease is long
    hangs = Hangs(executor)
    executor.seconds = 400.0
    ended: list[tuple[int, int, str]] = []
    monkeypatch.setattr(coordinator.live, "end", lambda *attempt: ended.append(attempt))
    time.after(settings.match_seconds + GRACE + 600, hangs.come_back)
    with capture_logs() as logs:
        time.run(runner(coordinator, executor, time, StopCondition(matches=20)).run())
    assert [log["match"] for log in events(logs, "match.lost")] == [1]
    assert not events(logs, "match.late")
    assert [outcome for *attempt, outcome in ended if attempt == [1, 1]] == ["void"]
    assert [outcome for *attempt, outcome in ended if attempt == [1, 2]] == ["done"]
    assert ordinals(database) == list(range(1, 21))
    assert [name for name in files(coordinator) if name.startswith("1-")] == ["1-2.jsonl.gz", "1-2.log.json.gz"]


def test_a_result_whose_lease_another_run_has_ended_comes_too_late(
    coordinator: Coordinator, executor: FakeExecutor, time: Time, database: Database
) -> None:
    def answer(task: MatchTask) -> MatchOutcome:
        if task.key == "match-1-1":
            with database.write() as session:
                MATCHES.requeue_dead(session, time(), lambda holder: True)
        return recorded(task)

    executor.answer = answer
    with capture_logs() as logs:
        time.run(runner(coordinator, executor, time).run())
    late = [(log["match"], log["attempt"]) for log in events(logs, "match.late")]
    assert late == [(task.match, 1) for task in executor.tasks[:2]]
    assert ordinals(database) == [1, 2, 3, 4]
    assert [name for name in files(coordinator) if name.startswith("1-")] == ["1-2.jsonl.gz", "1-2.log.json.gz"]


def test_a_clock_that_is_set_forward_takes_no_match_from_the_run_that_is_at_it(
    database: Database, settings: Settings, executor: FakeExecutor, time: Time
) -> None:
    """The first match lasts; meanwhile the wall clock jumps by a day, and other matches end and begin."""
    hangs = Hangs(executor)
    time.after(10.0, hangs.come_back)

    def wall() -> float:
        return time() + 86_400 * (hangs.task is not None)

    with capture_logs() as logs:
        wrong = Coordinator(database, settings, random.Random(7), wall, tick=time)
        time.run(runner(wrong, executor, time, StopCondition(matches=5)).run())
    assert not events(logs, "match.late")
    assert {task.attempt for task in executor.tasks} == {1}
    assert ordinals(database) == [1, 2, 3, 4, 5]


def test_the_first_stop_finishes_what_is_under_way(
    coordinator: Coordinator, executor: FakeExecutor, time: Time, database: Database
) -> None:
    run = runner(coordinator, executor, time, StopCondition())
    time.after(2.5, run.stop)
    with capture_logs() as logs:
        assert time.run(run.run())
    assert (statuses(database)["done"], statuses(database)["leased"]) == (6, 0)
    assert [log["playing"] for log in events(logs, "ladder.stopping")] == [2]


def test_the_second_stop_gives_matches_back_without_holding_it_against_anybody(
    coordinator: Coordinator, executor: FakeExecutor, time: Time, database: Database
) -> None:
    executor.answer = lambda task: None
    run = runner(coordinator, executor, time, StopCondition())
    time.after(2.5, run.stop)
    time.after(3.0, run.stop)
    assert not time.run(run.run())
    assert set(statuses(database)) == {"queued"}
    with database.read() as session:
        assert set(session.scalars(select(models.StoredMatch.failures))) == {0}
    executor.answer = recorded
    assert time.run(runner(coordinator, executor, time).run())
    assert {task.key for task in executor.tasks} >= {"match-1-1", "match-1-2"}


def test_nobody_to_play_ends_a_run_that_has_a_goal_with_the_reason(
    settings: Settings, executor: FakeExecutor, time: Time, tmp_path: Path
) -> None:
    settings = load_settings(data_dir=tmp_path / "empty")
    empty = open_ladder(settings, create=True)
    run = runner(Coordinator(empty, settings, random.Random(7), time, tick=time), executor, time)
    with pytest.raises(TooFewBots, match="No bot is entered yet"):
        time.run(run.run())
    empty.close()


def test_a_run_ends_when_every_bot_is_known_well_enough_and_another_one_has_nothing_to_do(
    coordinator: Coordinator, executor: FakeExecutor, time: Time
) -> None:
    first = runner(coordinator, executor, time, StopCondition(ci=1000.0))
    assert time.run(first.run())
    assert first.recorded >= MIN_MATCHES
    again = runner(coordinator, executor, time, StopCondition(ci=1000.0))
    assert time.run(again.run())
    assert again.recorded == 0


def test_a_run_without_a_goal_waits_for_somebody_to_play(
    settings: Settings, executor: FakeExecutor, time: Time, tmp_path: Path
) -> None:
    settings = load_settings(data_dir=tmp_path / "empty", boards=1)
    ladder = open_ladder(settings, create=True)
    run = runner(Coordinator(ladder, settings, random.Random(7), time, tick=time), executor, time, StopCondition())

    def submit() -> None:
        with ladder.write() as session:
            for name in NAMES:
                enter(session, name)

    time.after(100, submit)
    time.after(110, run.stop)
    with capture_logs() as logs:
        assert time.run(run.run())
    assert run.recorded > 0
    assert len(events(logs, "ladder.waiting")) == 1
    ladder.close()


@pytest.mark.parametrize(("changes", "requests", "looks"), [(None, 13, 61), (1, 3, 1)])
def test_an_idle_run_asks_less_often_where_the_store_says_that_nothing_was_written(
    executor: FakeExecutor, time: Time, tmp_path: Path, changes: int | None, requests: int, looks: int
) -> None:
    settings = load_settings(data_dir=tmp_path / "empty", boards=1)
    ladder = open_ladder(settings, create=True)
    idle = Coordinator(ladder, settings, random.Random(7), time, tick=time)
    run = runner(idle, executor, time, StopCondition())
    time.after(60.5, run.stop)
    with (
        mock.patch.object(ladder, "changes", return_value=changes),
        mock.patch.object(idle, "take", wraps=idle.take) as matches,
        mock.patch.object(submission_coordinator, "open_submissions", wraps=open_submissions) as submissions,
    ):
        assert time.run(run.run())
    ladder.close()
    also_asked = 1 + matches.call_count  # when it recovers, and whether submissions will bring bots to play
    assert (matches.call_count, submissions.call_count - also_asked) == (requests, looks)


def test_an_idle_run_plays_within_seconds_what_another_process_has_written(
    executor: FakeExecutor, time: Time, tmp_path: Path
) -> None:
    settings = load_settings(data_dir=tmp_path / "empty", boards=1)
    ladder, other = open_ladder(settings, create=True), open_ladder(settings)
    idle = Coordinator(ladder, settings, random.Random(7), time, tick=time)
    run = runner(idle, executor, time, StopCondition())

    def submit() -> None:
        with other.write() as session:
            for name in NAMES:
                enter(session, name)

    time.after(8.5, submit)  # after the beat at its start the run has written nothing
    time.after(8.5 + IDLE_SECONDS, run.stop)
    assert time.run(run.run())
    assert executor.tasks
    for each in (ladder, other):
        each.close()


def test_a_database_that_fails_for_a_while_loses_no_result(
    coordinator: Coordinator, executor: FakeExecutor, time: Time, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, write = time.now, database.write

    def failing() -> Any:
        if began + 0.5 < time.now < began + 300:
            raise StoreError("The database is full.")
        return write()

    monkeypatch.setattr(database, "write", failing)
    with capture_logs() as logs:
        time.run(runner(coordinator, executor, time).run())
    assert (ordinals(database), len(executor.tasks)) == ([1, 2, 3, 4], 4)
    assert [log["reason"] for log in events(logs, "platform.down")] == ["The database is full."]
    assert len(events(logs, "platform.up")) == 1


def test_a_run_whose_database_is_away_does_nothing_during_a_pause_though_leases_have_ended(
    coordinator: Coordinator,
    executor: FakeExecutor,
    time: Time,
    database: Database,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    began, write, pass_by = time.now, database.write, time.pass_by
    seconds = settings.match_seconds + GRACE + 3600

    def failing() -> Any:
        if began + 0.5 < time.now < began + seconds:
            raise StoreError("The database is away.")
        return write()

    def waiting(timeout: float | None) -> None:
        assert time.waits < 2 * seconds / LONGEST_PAUSE + 50
        pass_by(timeout)

    monkeypatch.setattr(database, "write", failing)
    monkeypatch.setattr(time, "pass_by", waiting)
    executor.answer = lambda task: recorded(task) if time.now > began + seconds else None
    with capture_logs() as logs:
        time.run(runner(coordinator, executor, time).run())
    assert ordinals(database) == [1, 2, 3, 4]
    assert {log["match"] for log in events(logs, "match.lost")} == {1, 2}


def test_a_disk_that_is_full_for_a_while_loses_no_result(
    coordinator: Coordinator, executor: FakeExecutor, time: Time, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, keep = time.now, coordinator.files.keep

    def failing(*arguments: Any) -> None:
        if time.now < began + 300:
            raise OSError(28, "No space left on device", "records")
        keep(*arguments)

    monkeypatch.setattr(coordinator.files, "keep", failing)
    with capture_logs() as logs:
        time.run(runner(coordinator, executor, time).run())
    assert (ordinals(database), len(executor.tasks)) == ([1, 2, 3, 4], 4)
    assert [log["reason"].partition(":")[0] for log in events(logs, "platform.down")] == ["records cannot be written"]


def test_a_commit_whose_answer_was_lost_is_recorded_once(
    coordinator: Coordinator, executor: FakeExecutor, time: Time, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = coordinator.record
    lost: list[object] = []

    def losing(task: MatchTask, outcome: MatchOutcome, reporter: None) -> Any:
        result = record(task, outcome, reporter)
        if outcome.match == 1 and not lost:
            lost.append(result)
            raise StoreError("The connection was lost.")
        return result

    monkeypatch.setattr(coordinator, "record", losing)
    run = runner(coordinator, executor, time)
    time.run(run.run())
    assert (run.recorded, ordinals(database)) == (4, [1, 2, 3, 4])
    assert "1-1.jsonl.gz" in files(coordinator)


def test_only_the_newest_records_are_kept(
    database: Database, settings: Settings, executor: FakeExecutor, time: Time
) -> None:
    few = settings.model_copy(update={"records": 3})
    coordinator = Coordinator(database, few, random.Random(7), time, tick=time)
    time.run(runner(coordinator, executor, time, StopCondition(matches=8)).run())
    with database.read() as session:
        kept = (
            select(models.StoredMatch.ordinal)
            .where(models.StoredMatch.record_kept)
            .order_by(models.StoredMatch.ordinal)
        )
        assert session.scalars(kept).all() == [6, 7, 8]
        assert (
            len(session.scalars(select(models.StoredSeat).where(models.StoredSeat.rating_after.is_not(None))).all())
            == 32
        )
    assert len(files(coordinator)) == 6


def test_an_owner_who_wants_fewer_records_loses_the_old_ones_at_the_next_start(
    database: Database, settings: Settings, coordinator: Coordinator, executor: FakeExecutor, time: Time
) -> None:
    time.run(runner(coordinator, executor, time, StopCondition(matches=5)).run())
    few = Coordinator(database, settings.model_copy(update={"records": 2}), random.Random(7), time, tick=time)
    few.recover()
    assert len(files(few)) == 4


def test_what_a_killed_runner_left_is_put_right_at_the_next_start(
    database: Database, settings: Settings, coordinator: Coordinator, executor: FakeExecutor, time: Time,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    time.run(runner(coordinator, executor, time, StopCondition(matches=2)).run())
    monkeypatch.setattr("ladder.sandbox.host.scratch.this_process", lambda: "other boot pid:[1] 1 1")
    monkeypatch.setattr("ladder.sandbox.host.scratch.is_dead", lambda holder: True)
    begun = Coordinator(database, settings, random.Random(7), time, tick=time).take(2)
    for task in begun:
        outcome = recorded(task)
        assert outcome.record is not None
        coordinator.files.keep(task.match, task.attempt, outcome.record, outcome.logs)  # written, and killed then
    (coordinator.files.root / "0" / f"{begun[0].match}-1.jsonl.gz.partial").touch()
    before = [name for name in files(coordinator) if name.startswith(("1-", "2-"))]
    with capture_logs() as logs:
        time.run(runner(coordinator, executor, time, StopCondition(matches=2)).run())
    assert [log["match"] for log in events(logs, "match.requeued")] == [task.match for task in begun]
    assert ordinals(database) == [1, 2, 3, 4]
    again = [f"{task.match}-2.{end}" for task in begun for end in ("jsonl.gz", "log.json.gz")]
    assert files(coordinator) == sorted(before + again)


@pytest.mark.parametrize("wrong", [other_cards, changed, lambda task: "no JSON"])
def test_where_the_executor_sees_to_workers_that_lie_the_match_goes_back_without_a_failure(
    coordinator: Coordinator, executor: FakeExecutor, time: Time, database: Database, wrong: Any
) -> None:
    executor.sees_to = True
    executor.answer = lambda task: wrong(task) if task.key == "match-1-1" else recorded(task)
    with capture_logs() as logs:
        time.run(runner(coordinator, executor, time).run())
    assert [log["match"] for log in events(logs, "match.returned")] == [1]
    assert executor.judgements.count(("match-1-1", Judgement.INVALID)) == 1
    assert executor.judgements.count(("match-1-2", Judgement.COUNTED)) == 1
    with database.read() as session:
        match = session.get_one(models.StoredMatch, 1)
        assert (match.failures, match.attempt, match.status) == (0, 2, Status.DONE)


def test_where_the_executor_sees_to_workers_that_fail_the_others_play_on(
    coordinator: Coordinator, executor: FakeExecutor, time: Time, database: Database
) -> None:
    """Nobody asks whether the whole platform is there, and there is no pause."""
    executor.sees_to = True
    executor.is_ready = lambda: DOWN
    executor.answer = lambda task: void(task) if task.match in (1, 2) else recorded(task)
    with capture_logs() as logs:
        time.run(runner(coordinator, executor, time, StopCondition(matches=6)).run())
    assert statuses(database) == {"done": 6, "quarantined": 2}
    assert not events(logs, "platform.down")


def test_a_match_that_was_never_played_goes_back_and_nobody_is_judged(
    coordinator: Coordinator, executor: FakeExecutor, time: Time, database: Database
) -> None:
    executor.answer = lambda task: NotPlayed("The scheduler ended.") if task.key == "match-1-1" else recorded(task)
    with capture_logs() as logs:
        time.run(runner(coordinator, executor, time).run())
    assert [log["reason"] for log in events(logs, "match.returned")] == ["The scheduler ended."]
    assert "match-1-1" not in dict(executor.judgements)
    assert statuses(database) == {"done": 4}


def test_a_match_that_is_returned_for_ever_is_set_aside(
    coordinator: Coordinator, executor: FakeExecutor, time: Time, database: Database
) -> None:
    executor.answer = lambda task: NotPlayed("The scheduler ended.") if task.match == 1 else recorded(task)
    time.run(runner(coordinator, executor, time, StopCondition(matches=15)).run())
    assert sum(task.match == 1 for task in executor.tasks) == MAX_LOSSES
    assert statuses(database)["quarantined"] == 1


def test_a_run_waits_while_there_are_no_slots(coordinator: Coordinator, time: Time, database: Database) -> None:
    executor = FakeExecutor(time, slots=0)

    def come() -> None:
        executor.slots = 3
        run.alarm.ring()

    time.after(1000.0, come)
    run = runner(coordinator, executor, time)
    assert time.run(run.run())
    assert (run.recorded, executor.most) == (4, 3)
    assert time.waits < 100


def test_many_slots_are_filled_in_several_transactions_without_a_pause(
    coordinator: Coordinator, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []
    take = coordinator.take

    def noted(count: int, *rest: Any) -> list[MatchTask]:
        counts.append(count)
        return take(count, *rest)

    monkeypatch.setattr(coordinator, "take", noted)
    executor = FakeExecutor(time, slots=5)
    began = time.now
    executor.answer = lambda task: recorded(task) if time.now - began < 1.01 else None
    assert time.run(Runner(coordinator, executor, StopCondition(matches=5), max_at_once=2).run())
    assert (counts, executor.most) == ([2, 2, 1], 5)
