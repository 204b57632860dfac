"""The coordinator, on both databases."""

from __future__ import annotations

import random
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, update

from ladder.entry.house_bots import HOUSE_BOTS
from ladder.errors import LadderError, StoreError
from ladder.pairing.suspension import cool_down
from ladder.runner.coordinator import MIN_MATCHES, Coordinator
from ladder.runner.presence import BEAT_SECONDS, CoordinatorPresence, folder_id
from ladder.sandbox.host import scratch
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.account_models import StoredSubmission
from ladder.store.commands.coordinators import SILENT_SECONDS, coordinators, database_time, forget, note_alive
from ladder.store.commands.queue import REFILL_FROM
from ladder.store.leases import GRACE
from ladder.store.models import State, Status
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import enter
from tests.ladder.virtual import Time, recorded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.orm import Session

    from ladder.settings.settings import Settings
    from ladder.store.database import Database
    from ladder.worker.match_tasks import MatchTask

__all__ = ["backend"]

NAMES = ("Trotter", "Snout", "Truffle", "Sty", "Boar")


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def coordinator(database: Database, settings: Settings, time: Time) -> Coordinator:
    with database.write() as session:
        for name in NAMES:
            enter(session, name)
    return coordinator_at(database, settings, time)


def coordinator_at(database: Database, settings: Settings, time: Time) -> Coordinator:
    small = settings.model_copy(update={"boards": 1})
    return Coordinator(database, small, random.Random(7), time, tick=time)


@IN_BOTH
def test_a_task_names_bots_and_versions_in_the_order_of_their_numbers(
    coordinator: Coordinator, database: Database
) -> None:
    (task,) = coordinator.take(1)
    with database.read() as session:
        seated = session.execute(
            select(models.StoredBot.name, models.Version.identity)
            .join(models.Version, models.Version.bot_id == models.StoredBot.id)
            .join(models.StoredSeat, models.StoredSeat.version_id == models.Version.id)
            .where(models.StoredSeat.match_id == task.match)
            .order_by(models.StoredSeat.seat)
        ).all()
    assert [(bot.name, bot.identity) for bot in task.bots] == [tuple(row) for row in seated]


def test_with_partners_the_second_chair_has_a_name_of_its_own(
    database: Database, settings: Settings, time: Time
) -> None:
    with database.write() as session:
        for name in NAMES[:2]:
            enter(session, name, "gongzhu-partners")
    (task,) = coordinator_at(database, settings, time).take(1)
    one, other = sorted(NAMES[:2], key=[bot.name for bot in task.bots].index)
    assert [bot.name for bot in task.bots] == [one, other, f"{one}#2", f"{other}#2"]


@IN_BOTH
def test_house_bots_that_were_never_entered_are_submitted_once_and_only_where_the_organiser_wants_them(
    database: Database, settings: Settings, time: Time
) -> None:
    with database.write() as session:
        for name in NAMES[:2]:
            enter(session, name)
    assert coordinator_at(database, settings, time).take(1) == []
    wanting = settings.model_copy(update={"fill_with_house_bots": True})
    one, other = (coordinator_at(database, wanting, time) for _ in range(2))
    for each in (one, other, one):
        assert each.take(1) == []
    with database.read() as session:
        rows = session.scalars(select(StoredSubmission).order_by(StoredSubmission.id)).all()
        found = [(row.bot, row.owner, list(row.order.variants), row.sandbox, row.remote) for row in rows]
    assert found == [(name, name, ["hearts"], "process", False) for name in [*HOUSE_BOTS][:2]]
    assert sorted(one.submissions.folders.names()) == sorted(str(row.folder) for row in rows)
    assert all((one.submissions.folders.bot(str(row.folder), row.source) / "bot.py").is_file() for row in rows)


@IN_BOTH
def test_more_matches_wait_than_are_leased(coordinator: Coordinator, database: Database) -> None:
    assert len(coordinator.take(2, ahead=3)) == 2
    with database.read() as session:
        waiting = session.scalars(select(models.StoredMatch.id).where(models.StoredMatch.status == Status.QUEUED)).all()
    assert len(waiting) == 3


def waiting(database: Database) -> int:
    with database.read() as session:
        return len(
            session.scalars(select(models.StoredMatch.id).where(models.StoredMatch.status == Status.QUEUED)).all()
        )


def test_where_many_are_to_wait_they_are_scheduled_when_half_are_gone(
    database: Database, coordinator: Coordinator
) -> None:
    numbers = []
    for _ in range(REFILL_FROM // 2 + 2):
        coordinator.take(1, ahead=REFILL_FROM)
        numbers.append(waiting(database))
    down = list(range(REFILL_FROM, REFILL_FROM // 2 - 1, -1))
    assert numbers == [*down, REFILL_FROM]


@IN_BOTH
def test_a_match_of_a_bot_that_has_left_is_not_begun_though_enough_others_wait(
    database: Database, coordinator: Coordinator
) -> None:
    coordinator.take(1, ahead=2 * REFILL_FROM)
    with database.write() as session:
        next_one = session.scalars(select(models.StoredMatch).where(models.StoredMatch.status == Status.QUEUED)).first()
        assert next_one is not None
        version = session.scalars(select(models.StoredSeat.version_id).filter_by(match_id=next_one.id)).first()
        session.execute(update(models.Rating).filter_by(version_id=version).values(state=State.RETIRED))
    tasks = coordinator.take(REFILL_FROM, ahead=2 * REFILL_FROM)
    with database.read() as session:
        seated = select(models.StoredSeat.version_id).where(
            models.StoredSeat.match_id.in_([task.match for task in tasks])
        )
        assert version not in session.scalars(seated).all()


@pytest.mark.parametrize(("sandbox", "at_once"), [("docker", 2), ("process", 3)])
@IN_BOTH
def test_matches_of_different_owners_are_scheduled_to_be_played_at_once(
    database: Database, settings: Settings, time: Time, sandbox: str, at_once: int
) -> None:
    with database.write() as session:
        for number in range(8):
            enter(session, f"Bot{number}")
    coordinator = coordinator_at(database, settings.model_copy(update={"sandbox": sandbox, "runtime": "runc"}), time)
    for _ in range(5):
        tasks = coordinator.take(3, ahead=3, at_once=3)
        assert len(tasks) == at_once
        for task in tasks:
            assert coordinator.record(task, recorded(task))


@IN_BOTH
def test_a_match_is_scheduled_beside_one_that_is_being_played(
    database: Database, settings: Settings, time: Time
) -> None:
    with database.write() as session:
        for number in range(8):
            enter(session, f"Bot{number}")
    in_containers = settings.model_copy(update={"sandbox": "docker", "runtime": "runc"})
    for seed in range(5):
        coordinator = Coordinator(database, in_containers, random.Random(seed), time, tick=time)
        tasks = [task for _ in range(2) for task in coordinator.take(1, at_once=3)]
        assert len(tasks) == 2
        for task in tasks:
            assert coordinator.record(task, recorded(task))


@IN_BOTH
def test_a_result_tells_how_each_rating_moved(coordinator: Coordinator, database: Database, time: Time) -> None:
    (task,) = coordinator.take(1)
    time.now += 12.5
    result = coordinator.record(task, recorded(task))
    assert result is not None
    assert (result.match, result.variant, result.ordinal, result.deals) == (task.match, "hearts", 1, 4)
    assert (result.seconds, result.suspended) == (12.5, ())
    with database.read() as session:
        kept = session.scalars(select(models.StoredSeat).order_by(models.StoredSeat.seat)).all()
    assert [(move.before, move.after) for move in result.moves] == [
        (seat.rating_before, seat.rating_after) for seat in kept
    ]
    assert [move.name for move in result.moves] == [bot.name for bot in task.bots]


def test_where_the_time_went_is_written_with_the_result(coordinator: Coordinator, database: Database) -> None:
    (task,) = coordinator.take(1)
    took = {"starting_seconds": 1.5, "playing_seconds": 0.25}
    assert coordinator.record(task, recorded(task).model_copy(update=took))
    with database.read() as session:
        match = session.get_one(models.StoredMatch, task.match)
        assert (match.starting_seconds, match.playing_seconds) == (1.5, 0.25)


def test_the_same_result_again_is_the_same_result(coordinator: Coordinator) -> None:
    (task,) = coordinator.take(1)
    outcome = recorded(task)
    assert coordinator.record(task, outcome) == coordinator.record(task, outcome)
    assert coordinator.files.record(task.match, 1).exists()


def test_a_result_that_comes_too_late_leaves_no_file(coordinator: Coordinator, time: Time) -> None:
    (task,) = coordinator.take(1)
    time.now += task.seconds + GRACE + 1
    (again,) = coordinator.take(1)
    assert (again.match, again.attempt) == (task.match, 2)
    assert coordinator.record(task, recorded(task)) is None
    assert coordinator.record(again, recorded(again)) is not None
    assert [coordinator.files.record(task.match, attempt).exists() for attempt in (1, 2)] == [False, True]


@IN_BOTH
def test_a_bot_that_is_suspended_is_taken_out_of_the_matches_that_wait(
    coordinator: Coordinator, database: Database
) -> None:
    coordinator.take(1, ahead=4)
    with database.write() as session:
        for entry in session.scalars(select(models.Rating).order_by(models.Rating.version_id).limit(1)):
            entry.state = State.SUSPENDED
    others = coordinator.take(4)
    assert len(others) == 4
    assert all("Trotter" not in [bot.name for bot in task.bots] for task in others)


def test_a_ladder_has_settled_when_every_bot_has_played_and_is_known_well_enough(
    coordinator: Coordinator, database: Database
) -> None:
    for _ in range(3 * MIN_MATCHES):
        (task,) = coordinator.take(1)
        coordinator.record(task, recorded(task))
    assert not coordinator.is_settled(1000.0)
    assert coordinator.refresh_estimates()
    assert coordinator.is_settled(1000.0)
    assert not coordinator.is_settled(1.0)
    with database.write() as session:
        enter(session, "Gilt")
    assert not coordinator.is_settled(1000.0)


@IN_BOTH
def test_a_variant_that_nobody_can_play_does_not_keep_a_ladder_from_settling(
    coordinator: Coordinator, database: Database
) -> None:
    with database.write() as session:
        enter(session, "Gilt", "gongzhu")
    for _ in range(3 * MIN_MATCHES):
        (task,) = coordinator.take(1)
        coordinator.record(task, recorded(task))
    coordinator.refresh_estimates(all_variants=True)
    assert coordinator.is_settled(1000.0)
    with database.write() as session:
        session.execute(update(models.Rating).values(state=State.SUSPENDED))
    assert not coordinator.is_settled(1000.0)


@IN_BOTH
def test_a_clock_that_is_set_back_holds_up_no_estimate(database: Database, settings: Settings, time: Time) -> None:
    with database.write() as session:
        for name in NAMES:
            enter(session, name)
    small = settings.model_copy(update={"boards": 1})
    coordinator = Coordinator(database, small, random.Random(7), time, tick=lambda: 0.0)
    for _ in range(2):
        (task,) = coordinator.take(1)
        coordinator.record(task, recorded(task))
        assert coordinator.refresh_estimates()
        time.now -= 3600


@IN_BOTH
def test_a_bot_whose_program_is_gone_is_suspended_and_keeps_nobody_from_playing(
    coordinator: Coordinator, database: Database, time: Time
) -> None:
    (task,) = coordinator.take(1)
    lost = task.bots[0]
    assert coordinator.fail(task, "Its image is gone.", lost.identity) is Status.QUARANTINED
    assert states(database)[lost.name] == (State.SUSPENDED, "Its image is gone.", 0)
    assert {state for state, *_ in states(database).values()} == {State.SUSPENDED, State.ACTIVE}
    assert lost.name not in {bot.name for each in coordinator.take(4) for bot in each.bots}
    time.now += cool_down(1)
    coordinator.take(1)
    assert states(database)[lost.name] == (State.ACTIVE, "", 0)


def test_a_program_that_is_found_missing_by_an_attempt_that_is_over_suspends_nobody(
    coordinator: Coordinator, database: Database
) -> None:
    (task,) = coordinator.take(1)
    other = task.model_copy(update={"attempt": task.attempt + 1})
    assert coordinator.fail(other, "Its image is gone.", task.bots[0].identity) is None
    assert {state for state, *_ in states(database).values()} == {State.ACTIVE}


def states(database: Database) -> dict[str, tuple[str, str, int]]:
    entry = (models.Rating.state, models.Rating.reason, models.Rating.suspensions)
    with database.read() as session:
        rows = session.execute(
            select(models.StoredBot.name, *entry)
            .join(models.Version, models.Version.bot_id == models.StoredBot.id)
            .join(models.Rating, models.Rating.version_id == models.Version.id)
        ).all()
    return {name: (state, reason, suspensions) for name, state, reason, suspensions in rows}


def last_event(coordinator: Coordinator, task: MatchTask) -> str:
    """The last event of that attempt, after one is told."""
    coordinator.live.append(task.match, task.attempt, '{"type":"play"}')
    return coordinator.files.root.parent.joinpath("live", f"{task.match}-{task.attempt}.jsonl").read_text()


def test_a_match_is_told_from_its_lease_to_its_result(coordinator: Coordinator) -> None:
    (task,) = coordinator.take(1)
    assert task.live == "played"
    assert last_event(coordinator, task) == '{"id":1,"type":"play"}\n'
    coordinator.record(task, recorded(task))
    assert last_event(coordinator, task) == '{"id":1,"type":"play"}\n{"id":2,"type":"end","outcome":"done"}\n'


@pytest.mark.parametrize("live", ["off", "open"])
def test_a_task_says_what_the_organiser_wants_told(
    coordinator: Coordinator, database: Database, settings: Settings, time: Time, live: str
) -> None:
    wanted = load_settings(data_dir=settings.data_dir, boards=1, live=live)
    (task,) = coordinator_at(database, wanted, time).take(1)
    assert task.live == live


def test_what_is_told_of_a_match_ends_when_it_fails_or_is_given_back(coordinator: Coordinator) -> None:
    failed, returned = coordinator.take(2)
    for task in (failed, returned):
        last_event(coordinator, task)
    coordinator.fail(failed, "No engine answers.")
    coordinator.give_back([returned])
    assert last_event(coordinator, failed).endswith('{"id":2,"type":"end","outcome":"void"}\n')
    assert last_event(coordinator, returned).endswith('{"id":2,"type":"end","outcome":"returned"}\n')


def test_what_is_told_of_a_match_that_comes_too_late_ends_void(coordinator: Coordinator, time: Time) -> None:
    (task,) = coordinator.take(1)
    last_event(coordinator, task)
    time.now += task.seconds + GRACE + 1
    coordinator.take(1)
    assert coordinator.record(task, recorded(task)) is None
    assert last_event(coordinator, task).endswith('{"id":2,"type":"end","outcome":"void"}\n')


def test_a_start_removes_what_was_told_of_matches_that_nobody_plays(
    coordinator: Coordinator, database: Database, settings: Settings, time: Time
) -> None:
    lost, played = coordinator.take(2)
    for task in (lost, played):
        last_event(coordinator, task)
    coordinator.live.close()
    with database.write() as session:
        session.execute(
            update(models.StoredMatch).where(models.StoredMatch.id == lost.match).values(status=Status.QUEUED)
        )
    coordinator_at(database, settings, time).recover()
    assert [file.name for file in (settings.data_dir / "live").iterdir()] == [f"{played.match}-{played.attempt}.jsonl"]


OTHER_PROCESS = "barn 11111111-2222-3333-4444-555555555555 pid:[4026531836] 7 12345"
"""A coordinator on another machine."""


def lease_to_other(database: Database, settings: Settings, match: int, until: float) -> None:
    """Let a coordinator on another machine, which lives, have leased a match."""
    with database.write() as session:
        note_alive(session, OTHER_PROCESS, folder_id(settings.data_dir), database_time(session))
        leased = update(models.StoredMatch).where(models.StoredMatch.id == match)
        session.execute(leased.values(status=Status.LEASED, attempt=1, holder=OTHER_PROCESS, lease_until=until))


def attempts(database: Database) -> list[tuple[int, str | None]]:
    """Of each match that is leased: the attempt, and who leased it."""
    leased = models.StoredMatch.status == Status.LEASED
    with database.read() as session:
        found = select(models.StoredMatch.attempt, models.StoredMatch.holder).where(leased)
        return [(attempt, holder) for attempt, holder in session.execute(found.order_by(models.StoredMatch.id))]


@IN_BOTH
def test_the_lease_of_a_coordinator_that_lives_does_not_end_by_the_clock_of_another(
    coordinator: Coordinator, database: Database, settings: Settings, time: Time
) -> None:
    coordinator.take(0, ahead=1)
    lease_to_other(database, settings, 1, time.now - 3600)
    assert coordinator.recover() == {}
    coordinator.take(0)
    assert attempts(database) == [(1, OTHER_PROCESS)]
    time.now += SILENT_SECONDS
    with database.write() as session:
        forget(session, [OTHER_PROCESS])
    coordinator.beat()
    assert len(coordinator.take(1)) == 1
    assert [attempt for attempt, _ in attempts(database)] == [2]


def test_matches_of_a_coordinator_whose_process_has_ended_are_put_back_by_one_that_runs(
    coordinator: Coordinator, database: Database, settings: Settings, time: Time
) -> None:
    coordinator.take(0, ahead=1)
    coordinator.recover()
    machine, boot, namespace, *_ = scratch.this_process().split(" ")
    killed = f"{machine} {boot} {namespace} {2**22 + 1} 1"  # the kernel gives no process such a number
    with database.write() as session:
        note_alive(session, killed, folder_id(settings.data_dir), database_time(session))
        leased = update(models.StoredMatch).where(models.StoredMatch.id == 1)
        session.execute(leased.values(status=Status.LEASED, attempt=1, holder=killed, lease_until=time.now + 3600))
    assert coordinator.beat() == {}, "it has spoken only just now"
    time.now += BEAT_SECONDS
    assert coordinator.beat() == {1: Status.QUEUED}


def test_a_coordinator_with_another_folder_does_not_begin(
    coordinator: Coordinator, database: Database, settings: Settings
) -> None:
    with database.write() as session:
        note_alive(session, OTHER_PROCESS, "another folder", database_time(session))
    with pytest.raises(LadderError, match="records in another folder"):
        coordinator.recover()


@IN_BOTH
def test_a_lease_whose_answer_was_lost_is_put_back_by_the_next(
    coordinator: Coordinator, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    (known,) = coordinator.take(1)
    write = database.write

    @contextmanager
    def losing() -> Iterator[Session]:
        with write() as session:
            yield session
        raise StoreError("The connection was lost.")

    with monkeypatch.context() as patch:
        patch.setattr(database, "write", losing)
        with pytest.raises(StoreError):
            coordinator.take(1, playing={(known.match, known.attempt)})
    assert len(attempts(database)) == 2
    (again,) = coordinator.take(1, playing={(known.match, known.attempt)})
    assert (again.attempt, len(attempts(database))) == (2, 2)


def test_what_another_coordinator_begins_to_tell_while_this_one_starts_is_kept(
    coordinator: Coordinator, settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = settings.data_dir / "live"
    folder.mkdir()
    (folder / "7-1.jsonl").write_text("left")
    join = CoordinatorPresence.join

    def joining(presence: CoordinatorPresence, session: Session) -> None:
        (folder / "8-1.jsonl").write_text("of a match that is leased at this moment")
        join(presence, session)

    monkeypatch.setattr(CoordinatorPresence, "join", joining)
    coordinator.recover()
    assert [path.name for path in folder.iterdir()] == ["8-1.jsonl"]


@IN_BOTH
def test_a_coordinator_that_has_left_is_not_waited_for(coordinator: Coordinator, database: Database) -> None:
    coordinator.recover()
    (task,) = coordinator.take(1)
    coordinator.leave()
    with database.read() as session:
        assert len(coordinators(session)) == 1, "the others are to find out that its match is not played"
    coordinator.give_back([task])
    coordinator.leave()
    with database.read() as session:
        assert coordinators(session) == []
