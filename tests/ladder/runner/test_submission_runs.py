"""Submissions beside matches in the ladder's loop, with an executor that does as it is told, in virtual time."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select
from structlog.testing import capture_logs

from ladder.errors import SandboxError, Unstorable
from ladder.runner.coordinator import Coordinator
from ladder.runner.executor import Judgement, NotPlayed
from ladder.runner.runner import Runner, StopCondition
from ladder.runner.submission_coordinator import TRIAL_SECONDS
from ladder.settings.settings import Settings, load_settings
from ladder.store import models
from ladder.store.account_models import StoredSubmission
from ladder.store.commands.opening import open_ladder
from ladder.store.commands.submission_queue import ALWAYS_LOST, withdraw
from ladder.store.leases import GRACE, MAX_FAILURES, MAX_LOSSES
from ladder.trials.trial_tasks import SubmissionOutcome
from tests.ladder.ladders import enter
from tests.ladder.store.handed_in import hand_in as hand_in_anywhere
from tests.ladder.store.handed_in import stored
from tests.ladder.virtual import FakeExecutor, Time, fit, trial_void

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ladder.store.database import Database
    from ladder.trials.trial_tasks import SubmissionTask

LATER = pytest.mark.long
OWNERS = [f"owner{number}" for number in range(12)]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(data_dir=tmp_path, boards=1, match_seconds=1800.0, runtime="runsc")


@pytest.fixture
def database(settings: Settings) -> Iterator[Database]:
    """A ladder of five bots that play hearts."""
    database = open_ladder(settings, create=True)
    with database.write() as session:
        for name in ("Trotter", "Snout", "Truffle", "Sty", "Boar"):
            enter(session, name)
    yield database
    database.close()


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def coordinator(database: Database, settings: Settings, time: Time) -> Coordinator:
    return Coordinator(database, settings, random.Random(7), time, tick=time)


def hand_in(database: Database, owner: str = "ada") -> list[int]:
    """Hand in a bot for the sandbox in which this ladder's bots are."""
    return hand_in_anywhere(database, owner, sandbox="process")


def runner(coordinator: Coordinator, executor: FakeExecutor, time: Time, matches: int | None = None) -> Runner:
    return Runner(coordinator, executor, StopCondition(matches))


def statuses(database: Database) -> Counter[str]:
    with database.read() as session:
        return Counter(session.scalars(select(StoredSubmission.status)))


def versions(database: Database) -> int:
    with database.read() as session:
        return len(session.scalars(select(models.Version.id)).all()) - 5


@pytest.mark.parametrize(
    ("slots", "share"),
    [
        pytest.param(1, 1, marks=LATER),
        pytest.param(2, 1, marks=LATER),
        (4, 1),
        pytest.param(8, 2, marks=LATER),
        (16, 4),
    ],
)
def test_trials_take_a_quarter_of_the_slots_and_matches_the_others(
    slots: int, share: int, coordinator: Coordinator, time: Time, database: Database
) -> None:
    for owner in OWNERS:
        hand_in(database, owner)
    executor = FakeExecutor(time, slots)
    run = runner(coordinator, executor, time, matches=2 * slots)
    assert time.run(run.run())
    assert (executor.most_trials, executor.most, run.recorded) == (share, slots, 2 * slots)
    assert statuses(database)["entered"] == versions(database) == len(executor.trials)


def test_a_run_of_so_many_matches_ends_and_what_waits_is_tried_another_time(
    coordinator: Coordinator, time: Time, database: Database
) -> None:
    for owner in OWNERS:
        hand_in(database, owner)
    executor = FakeExecutor(time)
    run = runner(coordinator, executor, time, matches=3)
    assert time.run(run.run())
    assert run.recorded == 3
    assert statuses(database) == {"entered": len(executor.trials), "queued": len(OWNERS) - len(executor.trials)}
    assert 0 < len(executor.trials) < len(OWNERS)


def test_submissions_are_tried_where_nobody_can_play(coordinator: Coordinator, time: Time, database: Database) -> None:
    with database.write() as session:
        for rating in session.scalars(select(models.Rating)):
            rating.state = models.State.RETIRED
    for owner in OWNERS[:4]:
        hand_in(database, owner)
    run = runner(coordinator, FakeExecutor(time), time, matches=2)
    assert time.run(run.run())
    assert (run.recorded, statuses(database)) == (2, {"entered": 4})


def test_a_submission_that_comes_while_nothing_happens_is_found(
    coordinator: Coordinator, time: Time, database: Database
) -> None:
    executor = FakeExecutor(time, slots=4)
    executor.seconds = 100.0
    run = runner(coordinator, executor, time)
    time.after(200.0, lambda: hand_in(database).clear())
    time.after(230.0, run.stop)
    time.run(run.run())
    assert statuses(database) == {"entered": 1}


def test_stop_ends_what_is_tried_and_begins_no_more(coordinator: Coordinator, time: Time, database: Database) -> None:
    for owner in OWNERS:
        hand_in(database, owner)
    executor = FakeExecutor(time)
    run = runner(coordinator, executor, time)
    time.after(5.0, run.stop)
    assert time.run(run.run())
    assert statuses(database) == {"entered": 1, "queued": 11}
    assert len(executor.trials) == 1


def test_abort_gives_back_what_is_tried(coordinator: Coordinator, time: Time, database: Database) -> None:
    (number,) = hand_in(database)
    run = runner(coordinator, FakeExecutor(time), time)
    time.after(5.0, run.stop)
    time.after(6.0, run.stop)
    assert not time.run(run.run())
    row = stored(database, number)
    assert (row.status, row.failures, row.holder, versions(database)) == ("queued", 0, None, 0)
    assert time.run(runner(coordinator, FakeExecutor(time), time, matches=1).run())
    assert (stored(database, number).status, stored(database, number).attempt) == ("entered", 2)


@pytest.mark.parametrize(
    "what",
    [
        SandboxError("Worker 0 (process 7) was ended by signal 9."),
        pytest.param(RuntimeError("the machine is gone"), marks=LATER),
        pytest.param("no outcome at all", marks=LATER),
        '{"submission": 1, "attempt": 1}',
    ],
    ids=str,
)
def test_what_a_lost_worker_tried_is_tried_again(
    what: str | Exception, coordinator: Coordinator, time: Time, database: Database
) -> None:
    (number,) = hand_in(database)

    def trial(task: SubmissionTask) -> SubmissionOutcome | str | Exception:
        return what if task.attempt == 1 else fit(task)

    executor = FakeExecutor(time, trial=trial)
    executor.seconds = 10.0
    assert time.run(runner(coordinator, executor, time, matches=6).run())
    row = stored(database, number)
    assert (row.status, row.attempt, row.failures, versions(database)) == ("entered", 2, 1, 1)


def test_an_answer_for_another_submission_counts_for_neither(
    coordinator: Coordinator, time: Time, database: Database
) -> None:
    first, second = hand_in(database, "ada"), hand_in(database, "ben")

    def trial(task: SubmissionTask) -> SubmissionOutcome:
        outcome = fit(task)
        return outcome.model_copy(update={"submission": second[0]}) if task.attempt == 1 else outcome

    executor = FakeExecutor(time, slots=8, trial=trial)
    executor.seconds = 10.0
    assert time.run(runner(coordinator, executor, time, matches=18).run())
    assert [stored(database, number).failures for number in (*first, *second)] == [1, 0]
    assert statuses(database) == {"entered": 2}


def test_who_never_answers_is_given_up_when_the_lease_ends(
    coordinator: Coordinator, time: Time, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ladder.runner.runner.LOOK_SECONDS", 30.0)  # a lease is long
    (number,) = hand_in(database)
    executor = FakeExecutor(time, trial=lambda task: None if task.attempt == 1 else fit(task))
    executor.seconds = 500.0
    run = runner(coordinator, executor, time)
    time.after(TRIAL_SECONDS + GRACE + 600.0, run.stop)  # a slot is free when a match is over
    time.run(run.run())
    row = stored(database, number)
    assert (row.status, row.attempt, row.failures) == ("entered", 2, 0)
    assert executor.futures[f"submission-{number}-1"].cancelled()


def test_what_is_withdrawn_is_not_tried_to_its_end(coordinator: Coordinator, time: Time, database: Database) -> None:
    (number,) = hand_in(database)
    executor = FakeExecutor(time, slots=1)
    executor.trial_seconds = 1000.0

    def take_back() -> None:
        with database.write() as session:
            withdraw(session, number, time())

    time.after(20.0, take_back)
    began = time()
    assert time.run(runner(coordinator, executor, time, matches=1).run())
    assert executor.futures[f"submission-{number}-1"].cancelled()
    assert time() - began < 60.0  # its slot was free for the match at once
    assert (stored(database, number).status, versions(database)) == ("withdrawn", 0)


def test_a_trial_that_ends_right_after_its_submission_was_withdrawn_comes_too_late(
    coordinator: Coordinator, time: Time, database: Database
) -> None:
    (number,) = hand_in(database)

    def trial(task: SubmissionTask) -> SubmissionOutcome:
        with database.write() as session:
            withdraw(session, number, time())
        return fit(task)

    executor = FakeExecutor(time, slots=2, trial=trial)
    with capture_logs() as logs:
        assert time.run(runner(coordinator, executor, time, matches=20).run())
    found = [log["event"] for log in logs if log["event"].startswith("submission.")]
    assert found == ["submission.started", "submission.late"]
    assert (stored(database, number).status, versions(database)) == ("withdrawn", 0)


def test_no_submission_fails_because_the_platform_is_gone_for_a_while(
    coordinator: Coordinator, time: Time, database: Database
) -> None:
    (number,) = hand_in(database)
    back = time() + 600.0

    def trial(task: SubmissionTask) -> SubmissionOutcome:
        return trial_void(task) if time() < back else fit(task)

    executor = FakeExecutor(time, trial=trial)
    executor.seconds = 100.0
    executor.is_ready = lambda: SandboxError("No Docker engine answers.") if time() < back else None
    run = runner(coordinator, executor, time)
    time.after(900.0, run.stop)
    with capture_logs() as logs:
        time.run(run.run())
    row = stored(database, number)
    assert (row.status, row.failures) == ("entered", 1)
    assert [log["event"] for log in logs if log["event"].startswith("platform")] == ["platform.down", "platform.up"]


def test_where_only_this_submission_fails_matches_go_on(
    coordinator: Coordinator, time: Time, database: Database
) -> None:
    (number,) = hand_in(database)
    executor = FakeExecutor(time, trial=trial_void)
    executor.seconds = 5.0
    run = runner(coordinator, executor, time, matches=20)
    assert time.run(run.run())
    assert (run.recorded, stored(database, number).status) == (20, "failed")
    assert stored(database, number).attempt == MAX_FAILURES


def test_a_lost_container_in_a_trial_says_nothing_of_the_platform(
    coordinator: Coordinator, time: Time, database: Database
) -> None:
    (number,) = hand_in(database)
    executor = FakeExecutor(time, trial=lambda task: trial_void(task).model_copy(update={"lost_container": True}))
    executor.trial_seconds = 2.0
    probes: list[None] = []
    executor.is_ready = lambda: probes.append(None)
    run = runner(coordinator, executor, time, matches=20)
    assert time.run(run.run())
    assert (run.recorded, stored(database, number).status, probes) == (20, "failed", [])
    assert stored(database, number).reason == ALWAYS_LOST.format(MAX_FAILURES)


def test_a_trial_whose_worker_lied_goes_back_without_a_failure(
    coordinator: Coordinator, time: Time, database: Database
) -> None:
    (number,) = hand_in(database)
    executor = FakeExecutor(time)
    executor.sees_to = True
    executor.trial_seconds = 2.0
    executor.trial = lambda task: "garbage" if task.attempt == 1 else fit(task)
    assert time.run(runner(coordinator, executor, time, matches=6).run())
    row = stored(database, number)
    assert (row.status, row.failures, row.attempt) == ("entered", 0, 2)
    assert executor.judgements.count((f"submission-{number}-1", Judgement.INVALID)) == 1


def test_a_trial_that_is_returned_for_ever_fails(coordinator: Coordinator, time: Time, database: Database) -> None:
    (number,) = hand_in(database)
    executor = FakeExecutor(time)
    executor.trial = lambda task: NotPlayed("The scheduler ended.")
    executor.seconds = 500.0  # matches are not the point, and each is played
    run = runner(coordinator, executor, time)
    time.after(1000.0, run.stop)
    time.run(run.run())
    row = stored(database, number)
    assert (row.status, row.failures, row.attempt) == ("failed", 0, MAX_LOSSES)


def with_program(task: SubmissionTask, **changes: object) -> str:
    """A trial that was passed, as JSON, with other facts about the program."""
    plain = json.loads(fit(task).model_dump_json())
    plain["program"] |= changes
    return json.dumps(plain)


IMPOSSIBLE: dict[str, Callable[[SubmissionTask], str]] = {
    "a size of more than 64 bits": lambda task: with_program(task, size=10**30),
    "a size below 0": lambda task: with_program(task, size=-1),
    "rules that say nothing": lambda task: (
        fit(task).model_copy(update={"variants": ({"name": "x"},)}).model_dump_json()
    ),
}


@pytest.mark.parametrize("answer", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
@pytest.mark.parametrize("sees_to", [True, False], ids=["other machines", "this machine"])
def test_an_outcome_that_no_trial_can_have_stops_neither_matches_nor_the_next_attempt(
    coordinator: Coordinator,
    time: Time,
    database: Database,
    answer: Callable[[SubmissionTask], str],
    *,
    sees_to: bool,
) -> None:
    (number,) = hand_in(database)
    executor = FakeExecutor(time)
    executor.sees_to = sees_to
    executor.trial_seconds = 2.0
    executor.trial = lambda task: answer(task) if task.attempt == 1 else fit(task)
    run = runner(coordinator, executor, time, matches=20)
    assert time.run(run.run())
    row = stored(database, number)
    assert (run.recorded, row.status, row.attempt) == (20, "entered", 2)
    assert executor.judgements.count((f"submission-{number}-1", Judgement.INVALID)) == 1


def test_an_outcome_that_cannot_be_stored_is_void_and_the_others_go_on(
    coordinator: Coordinator, time: Time, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, other = *hand_in(database), *hand_in(database, "ben")
    record = coordinator.submissions.record

    def unstorable(outcome: SubmissionOutcome) -> object:
        if outcome.submission == number and outcome.void is None:
            raise Unstorable("A ladder cannot store a text with a NUL character.")
        return record(outcome)

    monkeypatch.setattr(coordinator.submissions, "record", unstorable)
    executor = FakeExecutor(time)
    executor.trial_seconds = 2.0
    run = runner(coordinator, executor, time, matches=20)
    assert time.run(run.run())
    row = stored(database, number)
    assert (run.recorded, row.status, row.attempt) == (20, "failed", MAX_FAILURES)
    assert "a NUL character" in row.reason
    assert stored(database, other).status == "entered"


def test_what_a_bot_made_of_its_refusal_is_stored_without_what_no_database_holds(
    coordinator: Coordinator, time: Time, database: Database
) -> None:
    (number,) = hand_in(database)
    executor = FakeExecutor(time)
    executor.trial = lambda task: SubmissionOutcome(
        submission=task.submission, attempt=task.attempt, refused="It plays gongzhu\0, and not hearts."
    )
    assert time.run(runner(coordinator, executor, time, matches=6).run())
    row = stored(database, number)
    assert (row.status, "gongzhu�" in row.reason) == ("refused", True)
