"""
A cluster to which everything happens at once: no match is lost, none is recorded twice, liars are found out.

Real processes: a coordinator, its scheduler, workers behind wires of their own, PostgreSQL. `make test-long` lets 105
faults happen over 510 matches, on each store, and prints what has happened.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from ladder.store import models
from ladder.store.models import Status
from pigpen import ClockSetting
from tests.e2e.chaos.cluster import ChaosCluster
from tests.e2e.chaos.faults import LIARS, Faults
from tests.e2e.judging import assert_each_result_has_its_record, assert_ratings_follow_from_the_records
from tests.e2e.small_ladder import PATIENT, SLOW, SmallLadder, small_ladder
from tests.for_two import FOR_TWO
from tests.ladder.ladders import queue
from tests.ladder.postgres import LASTING, running_server
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 20261123


@dataclass(frozen=True)
class Run:
    """Number of faults in a run; by default that of each push: three faults, once each."""

    store: str = "sqlite"
    faults: int = 3
    """Besides the strangers and liars, who come in any case."""
    matches: int = 6
    workers: int = 1
    slots: int = 1
    liars: tuple[str, ...] = ("changed record",)
    kinds: tuple[str, ...] = ("worker: program killed", "scheduler: killed", "coordinator: killed")
    """Kinds of faults; none given: all."""
    pause: float = 4.0
    """Seconds after which the next fault comes though few matches have been played since the last one."""
    clocks: bool = False
    """True if the clocks of two workers are an hour off."""


LONG_RUN = Run(faults=105, matches=510, workers=3, slots=3, liars=LIARS, kinds=(), pause=6.0, clocks=True)
SETTINGS = {"PIGPEN_LIVE": "off", **PATIENT}
END_SECONDS = 600.0
PATIENT_CLOCK = ClockSetting(bank=6000, increment=1, limit=3600, start_up=3600)
"""As `PATIENT`, for matches that nobody has scheduled: no bot is to be blamed for a machine that is slow."""

RUNS = [
    pytest.param(Run(), id="sqlite"),
    pytest.param(LONG_RUN, id="sqlite, long", marks=pytest.mark.long),
    pytest.param(
        replace(LONG_RUN, store="postgresql"), id="postgresql, long", marks=[pytest.mark.long, pytest.mark.postgres]
    ),
]


@pytest.fixture
def chaos(run: Run, tmp_path: Path) -> Iterator[tuple[ChaosCluster, Faults]]:
    """A cluster with a coordinator and workers, and faults for it."""
    with ExitStack() as stack:
        server, url = None, ""
        if run.store == "postgresql":
            server = stack.enter_context(running_server(LASTING))
            url = server.url("postgres")
        ladder = stack.enter_context(small_ladder(tmp_path, program=SLOW, database_url=url))
        cluster = ChaosCluster(ladder, tmp_path, run.slots, **SETTINGS)
        stack.callback(cluster.close)
        yield cluster, Faults(cluster, random.Random(f"{SEED} {run.store}"), server)


@pytest.mark.timeout(3000)
@pytest.mark.parametrize("run", RUNS)
def test_each_match_is_recorded_once_whatever_happens(
    run: Run, chaos: tuple[ChaosCluster, Faults], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    cluster, faults = chaos
    rng = random.Random(SEED)
    put_matches_in_the_queue(cluster.ladder, run.matches, rng)
    clocks = _clocks(tmp_path) if run.clocks else None
    cluster.start_coordinator()
    faults.bring_strangers(run.liars)
    for number in range(run.workers):
        off = clocks if number < 2 else None
        shift = {"LD_PRELOAD": str(off), "PIGPEN_CLOCK_OFF": str(3600 * (1 - 2 * number))} if off else {}
        cluster.start_worker(f"worker-{number}", small_disk=number == 2, **shift)
    cluster.until(lambda: cluster.count("match.finished") > 0, "a first match")
    try:
        run_faults(run, cluster, faults, rng)
        cluster.until(lambda: cluster.count("match.finished") >= run.matches, "all matches", 2 * END_SECONDS)
        assert cluster.end_coordinator() == 130
        finish_the_queue(cluster)
    finally:
        print("\n" + table(cluster, faults, str(request.node.callspec.id)))
    matches = assert_each_result_has_its_record(cluster.ladder)
    assert {match.id for match in matches} >= set(range(1, run.matches + 1))
    assert unfinished(cluster.ladder) == {}
    assert_no_bot_is_blamed(cluster.ladder)
    assert_ratings_follow_from_the_records(cluster.ladder)
    assert_nothing_is_left(cluster)


def put_matches_in_the_queue(ladder: SmallLadder, matches: int, rng: random.Random) -> None:
    """Matches of one deal: what is played is not the point."""
    with ladder.database.write() as session:
        versions = session.scalars(select(models.Version.id)).all()
        for number in range(matches):
            queue(session, rng.sample(versions, 2), FOR_TWO.name, f"chaos {number}", "deals:1", PATIENT_CLOCK)


def run_faults(run: Run, cluster: ChaosCluster, faults: Faults, rng: random.Random) -> None:
    """Let them happen while matches are played, about as many at any time of the run."""
    kinds = run.kinds or faults.kinds
    order: list[str] = []
    wanted = faults.done.total() + run.faults
    while faults.done.total() < wanted or faults.running:
        order = order or rng.sample(kinds, len(kinds))
        if faults.done.total() < wanted and len(faults.running) < 3:
            faults.begin(order.pop())
        enough = cluster.count("match.finished") + run.matches // run.faults
        patience = time.monotonic() + run.pause
        while time.monotonic() < patience and cluster.count("match.finished") < enough:
            faults.look()
            time.sleep(0.05)
        faults.look()


def finish_the_queue(cluster: ChaosCluster) -> None:
    """Try again all that was set aside; all that was ever scheduled is played."""
    for _ in range(3):
        left = unfinished(cluster.ladder)
        if not left:
            return
        for match, status in left.items():
            if status == Status.QUARANTINED:
                assert cluster.ladder.pigpen("ladder", "requeue", str(match)).returncode == 0
        cluster.start_coordinator("--matches", str(len(left)))
        assert cluster.coordinator is not None
        assert cluster.coordinator.wait(END_SECONDS) == 0


def unfinished(ladder: SmallLadder) -> dict[int, Status]:
    with ladder.database.read() as session:
        wanted = select(models.StoredMatch.id, models.StoredMatch.status).where(models.StoredMatch.status != "done")
        return {match: Status(status) for match, status in session.execute(wanted)}


def assert_no_bot_is_blamed(ladder: SmallLadder) -> None:
    with ladder.database.read() as session:
        assert session.scalars(select(models.StoredFault)).all() == []


def assert_nothing_is_left(cluster: ChaosCluster) -> None:
    """Each worker ends by itself, and with it all that any of them has ever started."""
    for worker in cluster.workers.values():
        worker.process.send_signal(signal.SIGTERM)
    for worker in cluster.workers.values():
        assert worker.process.wait(PATIENCE) == 143, cluster.log_of(worker.name)
    cluster.until(lambda: cluster.processes() == [], "the end of all processes")
    assert cluster.ladder.processes() == []


def table(cluster: ChaosCluster, faults: Faults, store: str) -> str:
    """Write a table of the events of a run."""
    logged, ladder = cluster.counts(), cluster.ladder
    with ladder.database.read() as session:
        matches = session.scalars(select(models.StoredMatch)).all()
    ordinals = Counter(match.ordinal for match in matches if match.ordinal is not None)
    rows = [
        *sorted(faults.done.items()),
        ("faults", faults.done.total()),
        ("matches recorded", sum(match.status == Status.DONE for match in matches)),
        ("attempts", sum(match.attempt for match in matches)),
        ("given back", logged["match.returned"]),
        ("void", logged["match.void"]),
        ("set aside, and tried again", logged["match.quarantined"]),
        ("leases that ran out", logged["match.lost"]),
        ("late results discarded", logged["match.late"]),
        ("lies named", logged["worker.lied"]),
        ("workers drained", logged["worker.drained"]),
        ("workers turned away", logged["worker.turned_away"]),
        ("lost", sum(match.status != Status.DONE for match in matches)),
        ("doubled", sum(count - 1 for count in ordinals.values())),
    ]
    return "\n".join([f"{store}:", *(f"  {name:<46} {figure:>6}" for name, figure in rows)])


def _clocks(folder: Path) -> Path:
    """Compile what lets a program's clock be off; the compiler is what builds the engine (`sdk/native_build.py`)."""
    made = folder / "shifted_clock.so"
    source = Path(__file__).parent / "chaos" / "shifted_clock.c"
    subprocess.run(
        [sys.executable, "-m", "ziglang", "cc", "-shared", "-fPIC", "-O1", "-o", made, source, "-ldl"], check=True
    )
    return made
