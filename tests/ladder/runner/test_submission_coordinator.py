"""Submissions in the ladder: leased, recorded once, put back; and the ends of their folders."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from ladder.results.kept_sources import SourceFiles
from ladder.runner.coordinator import Coordinator
from ladder.runner.submission_coordinator import ORPHAN_SECONDS, SubmissionCoordinator
from ladder.store import models
from ladder.store.account_models import StoredSubmission, SubmissionStatus
from ladder.store.commands.submission_queue import ALWAYS_LOST, withdraw
from ladder.store.leases import MAX_FAILURES
from ladder.store.models import Status
from ladder.trials.trial_tasks import SubmissionOutcome, SubmissionTask, TrialProgress
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW, enter, queue
from tests.ladder.store.handed_in import hand_in, stored
from tests.ladder.virtual import fit, trial_void

if TYPE_CHECKING:
    from ladder.settings.settings import Settings
    from ladder.store.database import Database

__all__ = ["backend"]


@pytest.fixture
def submissions(database: Database, settings: Settings) -> SubmissionCoordinator:
    return SubmissionCoordinator(database, settings, lambda: NOW)


def refused(task: SubmissionTask, why: str) -> SubmissionOutcome:
    return SubmissionOutcome(submission=task.submission, attempt=task.attempt, refused=why)


def versions(database: Database) -> int:
    with database.read() as session:
        return session.scalar(select(func.count(models.Version.id))) or 0


def with_folder(submissions: SubmissionCoordinator, database: Database, owner: str = "ada") -> int:
    """Hand in a folder; gives the submission's number."""
    name = submissions.folders.make()
    folder = submissions.folders.bot(name, "mybot")
    folder.mkdir()
    (folder / "bot.py").write_text("pass\n")
    return hand_in(database, owner, folder=name)[0]


def test_a_bot_that_is_fit_is_entered_once_however_often_that_is_said(
    submissions: SubmissionCoordinator, database: Database
) -> None:
    number = with_folder(submissions, database)
    (task,) = submissions.take(1)
    row = submissions.record(fit(task))
    assert row is not None
    assert row.result is not None
    assert (row.id, row.status, row.result.version) == (number, "entered", "adas@1")
    assert submissions.record(fit(task)) is None
    assert submissions.record(trial_void(task)) is None
    assert versions(database) == 1
    assert submissions.folders.names() == []


def test_sources_of_a_bot_that_is_entered_stay_and_those_of_others_do_not(
    submissions: SubmissionCoordinator, database: Database, settings: Settings
) -> None:
    with_folder(submissions, database)
    (task,) = submissions.take(1)
    submissions.record(refused(task, "No."))
    files = SourceFiles(settings.data_dir)
    assert files.waiting() == []
    with_folder(submissions, database)
    (task,) = submissions.take(1)
    outcome = fit(task)
    submissions.record(outcome)
    assert outcome.program
    assert files.waiting() == [outcome.program.identity]
    assert files.sources(outcome.program.identity) == {"bot.py": "pass\n"}


def test_a_bot_is_entered_also_where_its_sources_cannot_be_kept(
    submissions: SubmissionCoordinator, database: Database, settings: Settings
) -> None:
    (settings.data_dir / "sources").write_text("This is no folder.")
    with_folder(submissions, database)
    (task,) = submissions.take(1)
    row = submissions.record(fit(task))
    assert row is not None
    assert row.status == "entered"
    assert submissions.folders.names() == []


def test_a_task_says_where_the_folder_lies_and_what_is_played(
    submissions: SubmissionCoordinator, database: Database, settings: Settings
) -> None:
    with database.write() as session:
        enter(session, "Snout")
    with_folder(submissions, database)
    (task,) = submissions.take(1)
    (name,) = submissions.folders.names()
    assert task.folder == str(settings.data_dir / "submissions" / name / "mybot")
    assert (list(task.known.rules), task.builds, task.attempt) == (["hearts"], "base", 1)


def test_of_a_late_outcome_nothing_is_written(submissions: SubmissionCoordinator, database: Database) -> None:
    number = with_folder(submissions, database)
    (first,) = submissions.take(1)
    with database.write() as session:
        submissions.requeue_of(session, {str(stored(database, number).holder)})
    (second,) = submissions.take(1)
    assert [task.attempt for task in (first, second)] == [1, 2]
    assert submissions.record(fit(first)) is None
    assert submissions.record(refused(first, "It is bad.")) is None
    assert (versions(database), stored(database, number).status) == (0, "leased")
    assert len(submissions.folders.names()) == 1
    row = submissions.record(refused(second, "It cannot be read."))
    assert row is not None
    assert (row.status, row.reason, submissions.folders.names()) == ("refused", "It cannot be read.", [])


@IN_BOTH
def test_what_a_process_tried_that_has_ended_is_taken_over_at_once(
    submissions: SubmissionCoordinator, database: Database
) -> None:
    (number,) = hand_in(database)
    words = "from ladder.sandbox.host.scratch import this_process; print(this_process())"
    killed = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True).stdout.strip()
    submissions.take(1)
    with database.write() as session:
        session.get_one(StoredSubmission, number).holder = killed
    (task,) = submissions.take(1)
    assert (task.submission, task.attempt) == (number, 2)
    assert submissions.take(1) == []


@IN_BOTH
def test_a_name_that_somebody_else_has_taken_meanwhile_is_refused_with_the_sentence(
    submissions: SubmissionCoordinator, database: Database
) -> None:
    hand_in(database, "ada", bot="Trotter")
    hand_in(database, "ben", bot="Trotter")
    first, second = submissions.take(2)
    rows = [submissions.record(fit(task)) for task in (first, second)]
    assert [row and row.status for row in rows] == ["entered", "refused"]
    assert rows[1] is not None
    assert "'Trotter' belongs to" in rows[1].reason
    assert versions(database) == 1


@IN_BOTH
def test_a_platform_that_fails_too_often_ends_it_and_leaves_no_folder(
    submissions: SubmissionCoordinator, database: Database
) -> None:
    number = with_folder(submissions, database)
    for _ in range(MAX_FAILURES):
        assert len(submissions.folders.names()) == 1
        (task,) = submissions.take(1)
        submissions.record(trial_void(task))
    assert (stored(database, number).status, submissions.folders.names()) == ("failed", [])


@pytest.mark.parametrize("lost", [(True, True, True), (True, False, True), (False, True, True)])
def test_a_bot_whose_container_was_lost_in_every_trial_is_told_so(
    submissions: SubmissionCoordinator, database: Database, lost: tuple[bool, ...]
) -> None:
    number = with_folder(submissions, database)
    for each in lost:
        (task,) = submissions.take(1)
        submissions.record(trial_void(task).model_copy(update={"lost_container": each}))
    found = stored(database, number)
    assert (found.status, found.reason == ALWAYS_LOST.format(MAX_FAILURES)) == ("failed", all(lost))


def test_why_the_platform_failed_is_told_from_afar_without_the_ladders_paths(
    submissions: SubmissionCoordinator, database: Database, settings: Settings
) -> None:
    with_folder(submissions, database)
    (number,) = hand_in(database, "olga", remote=False)
    tasks = {task.owner: task for task in submissions.take(2)}
    why = f"{tasks['ada'].folder}/bot.py and '{settings.data_dir}/locks/a b.json' cannot be read: No space left."
    for task in tasks.values():
        submissions.record(SubmissionOutcome(submission=task.submission, attempt=task.attempt, void=why))
    note = stored(database, tasks["ada"].submission).reason
    assert note.startswith("mybot/bot.py and '…' cannot ")
    assert stored(database, number).reason == why, "who submits on the ladder's machine may know"


@IN_BOTH
def test_what_its_owner_has_withdrawn_is_lost_to_who_tries_it(
    submissions: SubmissionCoordinator, database: Database
) -> None:
    hand_in(database, "ada")
    hand_in(database, "ben")
    tasks = submissions.take(2)
    assert submissions.lost(tasks) == []
    with database.write() as session:
        withdraw(session, tasks[0].submission, NOW)
    assert submissions.lost(tasks) == tasks[:1]


@IN_BOTH
def test_what_a_run_gives_back_is_tried_again_and_counts_as_no_failure(
    submissions: SubmissionCoordinator, database: Database
) -> None:
    number = with_folder(submissions, database)
    submissions.give_back(submissions.take(1))
    assert (stored(database, number).status, stored(database, number).failures) == ("queued", 0)
    assert len(submissions.folders.names()) == 1


def test_what_its_owner_breaks_off_has_ended(submissions: SubmissionCoordinator, database: Database) -> None:
    number = with_folder(submissions, database)
    (task,) = submissions.take(1)
    why = "Its owner ended the command."
    ended = [submissions.end(task, SubmissionStatus.WITHDRAWN, why) for _ in range(2)]
    assert [row and (row.id, row.status, row.phase, row.reason) for row in ended] == [
        (number, "withdrawn", "ended", why),
        None,
    ]
    assert submissions.folders.names() == []


@IN_BOTH
def test_progress_of_any_thread_is_written_and_that_of_another_attempt_is_not(
    submissions: SubmissionCoordinator, database: Database
) -> None:
    (number,) = hand_in(database)
    submissions.take(1)
    for attempt, done in ((1, 4), (2, 9)):
        note = TrialProgress(submission=number, attempt=attempt, phase="trying", done=done, steps=9)
        submissions.take_progress(note.model_dump_json())
    assert (stored(database, number).done, stored(database, number).steps) == (4, 9)


@IN_BOTH
def test_a_start_removes_folders_of_what_has_ended_at_once_and_those_of_nobody_after_a_day(
    submissions: SubmissionCoordinator, database: Database
) -> None:
    with_folder(submissions, database, "ada")  # it ends, and its process is killed before the folder is removed
    with_folder(submissions, database, "ben")  # it waits
    (task,) = submissions.take(1)
    folder, waiting = (stored(database, number).folder for number in (1, 2))
    with database.write() as session:
        assert withdraw(session, task.submission, NOW) == folder
    fresh, old = submissions.folders.make(), submissions.folders.make()  # their process was killed before the rest
    os.utime(submissions.folders.root / old, (NOW - ORPHAN_SECONDS - 60,) * 2)
    os.utime(submissions.folders.root / fresh, (NOW - 60,) * 2)
    os.utime(submissions.folders.root / (waiting or ""), (NOW - ORPHAN_SECONDS - 60,) * 2)
    submissions.recover()
    assert set(submissions.folders.names()) == {waiting, fresh}


class TestOwnersApart:
    """Containers of one owner that share a kernel do not live at the same time."""

    @pytest.fixture
    def apart(self, database: Database, settings: Settings) -> Coordinator:
        settings = settings.model_copy(update={"runtime": "runc", "boards": 1})
        assert settings.owners_apart
        return Coordinator(database, settings, random.Random(1), lambda: NOW)

    @pytest.fixture
    def bots(self, database: Database) -> list[int]:
        """Bots of eight owners; ada's is in the first match that waits, not in the second."""
        with database.write() as session:
            owners = ["ada", *(f"owner{number}" for number in range(7))]
            bots = [enter(session, f"bot{number}", owner=owner) for number, owner in enumerate(owners)]
            queue(session, bots[:4])
            queue(session, bots[4:])
        return bots

    def test_no_match_of_an_owner_begins_whose_submission_is_tried(
        self, apart: Coordinator, database: Database, bots: list[int]
    ) -> None:
        hand_in(database, "ada")
        (task,) = apart.submissions.take(1)
        assert [match.match for match in apart.take(2)] == [2]
        apart.submissions.record(fit(task))
        assert [match.match for match in apart.take(1)] == [1]

    def test_no_submission_of_an_owner_is_tried_whose_bots_play(
        self, apart: Coordinator, database: Database, bots: list[int]
    ) -> None:
        assert [match.match for match in apart.take(1)] == [1]
        hand_in(database, "ada")
        (other,) = hand_in(database, "owner5")
        assert [task.submission for task in apart.submissions.take(2)] == [other]

    @IN_BOTH
    def test_a_submission_that_waits_is_let_in_before_the_next_match_of_its_owner(
        self, apart: Coordinator, database: Database, bots: list[int]
    ) -> None:
        (playing,) = apart.take(1)
        (number,) = hand_in(database, "ada")
        with database.write() as session:
            more = queue(session, bots[:4])
        assert apart.submissions.take(1) == []
        assert more not in [match.match for match in apart.take(3)]
        with database.write() as session:
            session.get_one(models.StoredMatch, playing.match).status = Status.DONE
        assert more not in [match.match for match in apart.take(3)]
        assert [task.submission for task in apart.submissions.take(1)] == [number]
