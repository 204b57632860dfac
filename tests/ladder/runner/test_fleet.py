"""The workers of a cluster: who is let in, who gets which task, what failures and lies lead to, and their table."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, update
from structlog.testing import capture_logs

from ladder.pairing.suspension import Reporter
from ladder.runner.executor import Judgement
from ladder.runner.fleet import MAX_REASON, Fleet, FleetTable
from ladder.runner.fleet_admission import Demands, why_shares_kernel
from ladder.runner.fleet_roster import MAX_LIES
from ladder.store.cluster_models import StoredWorker
from ladder.store.commands.coordinators import forget_worker as forget
from ladder.store.commands.coordinators import set_wanted
from ladder.store.queries.workers import worker_orders, workers
from ladder.values.cluster import WantedState, WorkerState
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend
from tests.ladder.runner.fleets import DEMANDS, GIB, HandClock, calibrate, fleet_of, joined, left

if TYPE_CHECKING:
    from ladder.store.database import Database
    from ladder.values.cluster import WorkerRow

BOTS = ("sha256:a", "sha256:b", "sha256:c", "sha256:d")


def state(fleet: Fleet, name: str = "barn") -> WorkerState:
    return fleet.workers[name].state


def place(fleet: Fleet, key: str, *bots: str) -> str | None:
    worker = fleet.place(key, bots)
    return worker.name if worker else None


def test_a_worker_plays_nothing_before_its_calibration_match() -> None:
    clock = HandClock()
    fleet = Fleet(DEMANDS, clock, clock)
    fleet.take_report(joined())
    assert (state(fleet), fleet.slots, place(fleet, "match-1-1")) == (WorkerState.CALIBRATING, 0, None)
    (check,) = fleet.checks()
    assert not check.is_probe
    assert fleet.checks() == []
    fleet.checked(check, "", 123.0)
    assert (state(fleet), fleet.slots, fleet.workers["barn"].speed) == (WorkerState.ACTIVE, 2, 123.0)
    assert place(fleet, "match-1-1") == "barn"


def test_another_version_of_pigpen_is_turned_away_with_a_sentence() -> None:
    fleet = Fleet(DEMANDS, HandClock(), HandClock())
    assert "install pigpen-arena==1.0 there" in (fleet.take_report(joined(version="0.9")) or "")
    assert (state(fleet), fleet.checks(), fleet.slots) == (WorkerState.TURNED_AWAY, [], 0)
    assert fleet.take_report(joined(version="1.0")) == ""
    assert state(fleet) is WorkerState.CALIBRATING


def test_a_name_that_is_connected_already_is_turned_away_and_the_first_one_stays() -> None:
    fleet = fleet_of("barn")
    why = fleet.take_report(joined(connection="tls://other", process="2"))
    assert "already" in why
    assert (state(fleet), fleet.workers["barn"].connection) == (WorkerState.ACTIVE, "tls://barn")
    fleet.take_report(left(connection="tls://other"))
    assert state(fleet) is WorkerState.ACTIVE


def test_the_same_worker_on_a_new_connection_goes_on_without_calibration() -> None:
    fleet = fleet_of("barn")
    assert fleet.take_report(joined(connection="tls://again")) == ""
    fleet.take_report(left(connection="tls://barn"))
    assert (state(fleet), fleet.slots) == (WorkerState.ACTIVE, 2)


def test_a_worker_that_was_started_again_is_calibrated_again() -> None:
    fleet = fleet_of("barn")
    fleet.take_report(left())
    assert (state(fleet), fleet.slots) == (WorkerState.GONE, 0)
    fleet.take_report(joined(process="2"))
    assert state(fleet) is WorkerState.CALIBRATING


@pytest.mark.parametrize(
    ("demands", "more", "state_then"),
    [
        (Demands("1.0", "runc"), {}, WorkerState.CALIBRATING),
        (Demands("1.0", "runsc"), {}, WorkerState.FAILING),
        (Demands("1.0", "auto"), {"runtimes": ("runc", "runsc")}, WorkerState.CALIBRATING),
        (Demands("1.0", "auto"), {"runtimes": ("runc",)}, WorkerState.CALIBRATING),
        (Demands("1.0", "runc"), {"engine": ""}, WorkerState.FAILING),
        (Demands("1.0"), {"engine": "", "runtimes": ()}, WorkerState.CALIBRATING),
        (Demands("1.0", architecture="aarch64"), {}, WorkerState.TURNED_AWAY),
        (Demands("1.0", slot_memory=16 * GIB), {}, WorkerState.TURNED_AWAY),
    ],
)
def test_a_machine_that_cannot_play_what_the_ladder_plays_gets_nothing(
    demands: Demands, more: dict[str, object], state_then: WorkerState
) -> None:
    fleet = Fleet(demands, HandClock(), HandClock())
    fleet.take_report(joined(**more))  # type: ignore[arg-type]
    assert state(fleet) is state_then
    assert bool(fleet.workers["barn"].reason) is (state_then is not WorkerState.CALIBRATING)


@pytest.mark.parametrize(
    ("runtimes", "runtime"), [(("runc", "runsc"), "runsc"), (("runc",), "runc"), (("crun", "kata"), "runc")]
)
def test_a_worker_comes_with_its_runtime_and_one_whose_bots_share_a_kernel_with_a_warning(
    runtimes: tuple[str, ...], runtime: str
) -> None:
    fleet = Fleet(Demands("1.0", "auto"), HandClock(), HandClock())
    with capture_logs() as logs:
        fleet.take_report(joined(runtimes=runtimes))
    logged = {line["event"]: line["runtime"] for line in logs if "runtime" in line}
    expected = {"worker.joined": runtime} | ({"worker.shares_kernel": runtime} if runtime == "runc" else {})
    assert logged == expected


def test_a_runtime_that_the_settings_ask_for_is_named_as_the_reason_of_a_shared_kernel() -> None:
    facts = joined(runtimes=("runc", "runsc")).facts
    assert facts is not None
    assert "runtime asks for runc" in why_shares_kernel(facts, "runc")
    assert "nstall" not in why_shares_kernel(facts, "runc")
    assert why_shares_kernel(facts, "auto") == why_shares_kernel(facts, None) == ""
    assert "Install gVisor there" in why_shares_kernel(facts.model_copy(update={"runtimes": ("runc",)}), "auto")


def test_an_engine_that_answers_again_is_seen_in_what_the_worker_says() -> None:
    fleet = Fleet(replace(DEMANDS, runtime="runc"), HandClock(), HandClock())
    fleet.take_report(joined(engine=""))
    assert fleet.checks() == []
    fleet.take_report(joined(engine="27.0"))
    calibrate(fleet)
    assert state(fleet) is WorkerState.ACTIVE


def test_a_machine_gets_no_more_tasks_than_its_memory_holds() -> None:
    fleet = Fleet(replace(DEMANDS, slot_memory=3 * GIB), HandClock(), HandClock())
    fleet.take_report(joined(slots=8))
    calibrate(fleet)
    assert fleet.slots == 2


def test_each_task_has_one_worker_and_nobody_has_more_than_its_slots() -> None:
    fleet = fleet_of("barn", "hut", "shed")
    placed = [place(fleet, f"match-{number}-1") for number in range(7)]
    assert Counter(placed) == {"barn": 2, "hut": 2, "shed": 2, None: 1}
    assert fleet.slots == 6
    fleet.end("match-0-1", is_judged=True)
    assert place(fleet, "match-8-1") == placed[0]


def test_a_task_goes_where_its_bots_are_already() -> None:
    fleet = fleet_of("barn", "hut", "shed", slots=4)
    first = place(fleet, "match-1-1", *BOTS)
    assert place(fleet, "match-2-1", *BOTS[:2]) == first
    assert place(fleet, "match-3-1", "sha256:e") != first


def test_the_next_attempt_at_a_void_match_goes_to_another_worker() -> None:
    fleet = fleet_of("barn", "hut", slots=4)
    first = place(fleet, "match-1-1", *BOTS)
    fleet.judge("match-1-1", Judgement.VOID, "The disk is full.")
    calibrate(fleet)
    assert place(fleet, "match-1-2", *BOTS) not in (first, None)


def test_a_worker_whose_platform_fails_is_probed_and_the_others_play_on() -> None:
    clock = HandClock()
    fleet = fleet_of("barn", "hut", clock=clock)
    failing = place(fleet, "match-1-1")
    assert failing
    fleet.end("match-1-1", is_judged=False)
    fleet.judge("match-1-1", Judgement.VOID, "No Docker engine answers.")
    assert (state(fleet, failing), fleet.slots) == (WorkerState.FAILING, 2)
    assert fleet.workers[failing].reason == "No Docker engine answers."
    assert {place(fleet, f"match-{number}-1") for number in (2, 3, 4)} == {"barn", "hut", None} - {failing}
    (check,) = fleet.checks()
    assert (check.worker.name, check.is_probe) == (failing, True)
    fleet.checked(check, "")
    assert (state(fleet, failing), fleet.slots) == (WorkerState.ACTIVE, 4)


def test_pauses_between_probes_grow_until_a_task_counts() -> None:
    clock = HandClock()
    fleet = fleet_of("barn", clock=clock)
    place(fleet, "match-1-1")
    fleet.judge("match-1-1", Judgement.VOID, "The disk is full.")
    probes: list[float] = []
    while clock.time < 1000 + 600:
        for check in fleet.checks():
            probes.append(clock.time - 1000)
            fleet.checked(check, "The disk is full.")
        clock.time += 1
    assert probes[:8] == [0, 1, 3, 7, 15, 31, 63, 123]
    clock.time += 60
    calibrate(fleet)
    assert place(fleet, "match-2-1") == "barn"
    fleet.judge("match-2-1", Judgement.COUNTED)
    assert fleet.workers["barn"].failures == 0


def test_three_lies_drain_a_worker_with_the_reason() -> None:
    fleet = fleet_of("barn")
    for number in range(MAX_LIES):
        assert state(fleet) is WorkerState.ACTIVE
        key = f"match-{number}-1"
        place(fleet, key)
        fleet.end(key, is_judged=False)
        fleet.judge(key, Judgement.INVALID, "Its worker answered for another match.")
        fleet.judge(key, Judgement.INVALID, "The same once more.")
    worker = fleet.workers["barn"]
    assert (worker.lies, state(fleet), fleet.slots) == (MAX_LIES, WorkerState.DRAINED, 0)
    assert worker.reason == fleet.drains["barn"]
    assert worker.reason.endswith("for another match.")


def test_a_worker_that_is_drained_ends_what_it_has() -> None:
    fleet = fleet_of("barn", "hut")
    for number in range(4):
        place(fleet, f"match-{number}-1")
    fleet.order("barn", "Its fan is loud.")
    assert (state(fleet), fleet.workers["barn"].reason, fleet.slots) == (WorkerState.DRAINING, "Its fan is loud.", 4)
    for number in range(4):
        fleet.end(f"match-{number}-1", is_judged=True)
    assert (state(fleet), fleet.slots) == (WorkerState.DRAINED, 2)
    assert fleet.checks() == []


def test_a_worker_that_is_resumed_is_calibrated_and_its_lies_are_forgiven() -> None:
    fleet = fleet_of("barn")
    for number in range(MAX_LIES):
        place(fleet, f"match-{number}-1")
        fleet.judge(f"match-{number}-1", Judgement.INVALID, "It is garbage.")
    fleet.order("barn", None)
    assert state(fleet) is WorkerState.DRAINED  # nobody has written down yet that it is drained
    fleet.drains.clear()
    fleet.order("barn", None)
    assert (state(fleet), fleet.workers["barn"].lies) == (WorkerState.CALIBRATING, 0)


def test_a_worker_that_plays_is_calibrated_again_after_a_while_when_it_has_a_slot() -> None:
    clock = HandClock()
    fleet = fleet_of("barn", clock=clock, slots=1)
    clock.time += 7 * 3600
    place(fleet, "match-1-1")
    assert fleet.checks() == []
    fleet.end("match-1-1", is_judged=True)
    (check,) = fleet.checks()
    assert (check.is_probe, state(fleet), place(fleet, "match-2-1")) == (False, WorkerState.ACTIVE, None)
    fleet.checked(check, "", 50.0)
    assert (place(fleet, "match-3-1"), fleet.workers["barn"].speed) == ("barn", 50.0)


def test_what_a_check_found_on_a_lost_connection_says_nothing_about_the_next_one() -> None:
    fleet = fleet_of("barn")
    fleet.take_report(joined(connection="tls://again", process="2"))
    clock = HandClock()
    fleet = Fleet(DEMANDS, clock, clock)
    fleet.take_report(joined())
    (check,) = fleet.checks()
    fleet.take_report(left())
    fleet.take_report(joined(connection="tls://again", process="2"))
    fleet.checked(check, "The worker has gone.")
    assert state(fleet) is WorkerState.CALIBRATING
    assert len(fleet.checks()) == 1


def test_when_the_scheduler_is_lost_nobody_is_connected() -> None:
    fleet = fleet_of("barn", "hut")
    place(fleet, "match-1-1")
    fleet.lose_all("The scheduler has ended.")
    assert {state(fleet, name) for name in ("barn", "hut")} == {WorkerState.GONE}
    fleet.end("match-1-1", is_judged=True)
    assert fleet.slots == 0
    fleet.take_report(joined("barn"))
    assert (state(fleet), fleet.slots) == (WorkerState.ACTIVE, 2)


def test_slots_are_added_up_right_whatever_happens() -> None:
    fleet = fleet_of(*(f"sty{number}" for number in range(100)), slots=3)
    for number in range(150):
        place(fleet, f"match-{number}-1", *BOTS)
    for number in range(0, 100, 7):
        fleet.take_report(left(f"sty{number}"))
    for number in range(150):
        fleet.end(f"match-{number}-1", is_judged=False)
        fleet.judge(f"match-{number}-1", Judgement.VOID if number % 3 else Judgement.COUNTED, "It failed.")
    assert fleet.slots == sum(worker.slots for worker in fleet.workers.values())


def test_workers_on_one_machine_are_one_place_for_owners_who_are_kept_apart() -> None:
    clock = HandClock()
    fleet = Fleet(DEMANDS, clock, clock)
    for name, process in (("barn", "host boot-1 pid:[1] 7 8"), ("shed", "host boot-1 pid:[1] 9 9"),
                          ("mill", "host boot-2 pid:[1] 7 8")):  # fmt: skip
        fleet.take_report(joined(name, process=process))
    calibrate(fleet)
    for match, machine in ((1, "boot-1"), (2, "boot-1"), (3, "boot-2")):
        assert fleet.place(f"match-{match}-1", BOTS, match, machine) is not None
    assert {(each.name, each.free, *sorted(each.matches or ())) for each in fleet.machines()} == {
        ("boot-1", 2, 1, 2), ("boot-2", 1, 3)
    }  # fmt: skip
    assert {(each.name, each.free, *sorted(each.matches or ())) for each in fleet.machines([("boot-2", 9)])} == {
        ("boot-1", 2, 1, 2), ("boot-2", 0, 3, 9)
    }  # fmt: skip
    assert fleet.place("match-4-1", BOTS, 4, "boot-2") is not None
    assert fleet.place("match-5-1", BOTS, 5, "boot-2") is None
    fleet.end("match-1-1", is_judged=False)
    assert {each.name: set(each.matches or ()) for each in fleet.machines()}["boot-1"] == {2}


def test_a_worker_whose_word_is_to_be_confirmed_gets_a_task_last() -> None:
    fleet = fleet_of("barn", "sty", slots=1)
    placed = [fleet.place(f"match-{number}-1", [], number, avoided=("barn",)) for number in (1, 2, 3)]
    assert [worker and worker.name for worker in placed] == ["sty", "barn", None]


def test_a_witness_is_known_until_its_task_is_judged_and_whether_it_is_alone() -> None:
    fleet = fleet_of("barn")
    fleet.place("match-1-1", [], 1)
    assert fleet.reporter("match-1-1") == Reporter("barn", is_alone=True)
    fleet.take_report(joined("sty"))
    fleet.end("match-1-1", is_judged=False)
    assert fleet.reporter("match-1-1") == Reporter("barn", is_alone=False)
    fleet.judge("match-1-1", Judgement.COUNTED)
    assert fleet.reporter("match-1-1") is None


__all__ = ["backend"]


class Run:
    """The parts of one coordinator."""

    def __init__(self, database: Database, coordinator: str = "first") -> None:
        self.clock = HandClock()
        self.fleet = Fleet(DEMANDS, self.clock, self.clock)
        self.table = FleetTable(database, coordinator, self.clock)

    async def exchange(self) -> None:
        """Write and read."""
        await self.table.exchange(self.fleet)

    def lie(self, times: int = MAX_LIES, reason: str = "It is another match's.") -> None:
        """Let the worker lie."""
        for number in range(times):
            self.fleet.place(f"match-{number}-1", ())
            self.fleet.judge(f"match-{number}-1", Judgement.INVALID, reason)


def rows(database: Database) -> dict[str, WorkerRow]:
    with database.read() as session:
        return {row.name: row for row in workers(session, 1000.0)}


def worker_orders_of(database: Database) -> dict[str, str]:
    """The reasons of all orders."""
    with database.read() as session:
        return {name: order.reason for name, order in worker_orders(session).items()}


async def test_what_is_seen_of_the_workers_is_written(database: Database) -> None:
    run = Run(database)
    run.fleet.take_report(joined())
    calibrate(run.fleet, speed=120.0)
    run.fleet.place("match-7-1", (), 7)
    run.fleet.place("match-8-1", (), 8)
    run.fleet.judge("match-7-1", Judgement.COUNTED)
    await run.exchange()
    row = rows(database)["barn"]
    assert (row.state, row.coordinator, row.address) == (WorkerState.ACTIVE, "first", "tls://barn")
    assert (row.busy, row.slots, row.tasks, row.last_match, row.speed) == (1, 2, 1, 7, 120.0)


async def test_a_worker_that_has_come_and_gone_between_two_exchanges_is_listed_until_it_is_forgotten(
    database: Database,
) -> None:
    run = Run(database)
    run.fleet.take_report(joined())
    run.fleet.take_report(left())
    run.clock.time += 60
    await run.exchange()
    assert rows(database)["barn"].state is WorkerState.GONE
    with database.write() as session:
        assert forget(session, "barn")
    await run.exchange()
    assert rows(database) == {}


async def test_a_worker_that_has_gone_is_shown_with_the_reason(database: Database) -> None:
    run = Run(database)
    run.fleet.take_report(joined())
    await run.exchange()
    run.fleet.take_report(left())
    await run.exchange()
    row = rows(database)["barn"]
    assert (row.state, row.reason) == (WorkerState.GONE, "Its connection was closed.")


async def test_an_organiser_drains_a_worker_and_lets_it_play_again(database: Database) -> None:
    run = Run(database)
    run.fleet.take_report(joined())
    calibrate(run.fleet)
    await run.exchange()
    with database.write() as session:
        set_wanted(session, "barn", WantedState.DRAINED, "Its fan is loud.")
    await run.exchange()
    await run.exchange()
    assert (rows(database)["barn"].state, run.fleet.slots) == (WorkerState.DRAINED, 0)
    with database.write() as session:
        set_wanted(session, "barn", WantedState.ACTIVE, "")
    await run.exchange()
    calibrate(run.fleet)
    assert run.fleet.slots == 2


async def test_a_worker_that_has_lied_three_times_stays_drained_in_the_next_run(database: Database) -> None:
    first = Run(database)
    first.fleet.take_report(joined())
    calibrate(first.fleet)
    first.lie()
    await first.exchange()
    assert first.fleet.drains == {}
    with database.read() as session:
        assert worker_orders(session)["barn"].reason.endswith("It is another match's.")
    second = Run(database, "second")
    await second.exchange()
    second.fleet.take_report(joined(process="2"))
    worker = second.fleet.workers["barn"]
    assert (worker.state, worker.lies, second.fleet.checks()) == (WorkerState.DRAINED, MAX_LIES, [])


async def test_a_drain_is_not_undone_by_what_the_table_said_before(database: Database) -> None:
    run = Run(database)
    run.fleet.take_report(joined())
    calibrate(run.fleet)
    await run.exchange()
    run.lie()
    run.fleet.order("barn", None)
    assert run.fleet.workers["barn"].state is WorkerState.DRAINED
    await run.exchange()
    await run.exchange()
    assert run.fleet.workers["barn"].state is WorkerState.DRAINED


async def test_counts_go_on_where_an_earlier_run_has_left_them(database: Database) -> None:
    first = Run(database)
    first.fleet.take_report(joined())
    calibrate(first.fleet)
    first.fleet.place("match-1-1", (), 1)
    first.fleet.judge("match-1-1", Judgement.COUNTED)
    await first.exchange()
    second = Run(database, "second")
    await second.exchange()
    second.fleet.take_report(joined())
    await second.exchange()
    row = rows(database)["barn"]
    assert (row.tasks, row.last_match, row.coordinator, row.state) == (1, 1, "second", WorkerState.CALIBRATING)


@IN_BOTH
async def test_what_a_worker_has_sent_keeps_no_worker_from_being_written_or_drained(database: Database) -> None:
    run = Run(database)
    run.fleet.take_report(joined())
    calibrate(run.fleet)
    run.fleet.take_report(joined("sty", version="\0"))
    run.lie(reason="\0" + "x" * MAX_REASON)
    await run.exchange()
    found = rows(database)
    assert "needs 1.0" in found["sty"].reason
    for reason in (found["barn"].reason, worker_orders_of(database)["barn"]):
        assert len(reason) == MAX_REASON
        assert "The last one: \ufffdxxx" in reason
    await run.exchange()
    await run.exchange()
    assert run.fleet.workers["barn"].state is WorkerState.DRAINED


@IN_BOTH
async def test_a_run_begins_where_an_earlier_version_has_stored_an_impossible_time(database: Database) -> None:
    first = Run(database)
    first.fleet.take_report(joined(process="1"))
    calibrate(first.fleet)
    first.lie(1)
    await first.exchange()
    with database.write() as session:
        facts = session.scalars(select(StoredWorker.facts)).one()
        session.execute(update(StoredWorker).values(facts=facts | {"certificate_ends": 1e15}))
    second = Run(database, "second")
    await second.exchange()
    second.fleet.take_report(joined())
    assert second.fleet.workers["barn"].lies == 1
