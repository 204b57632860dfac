"""Two coordinators at one ladder: each ends the leases of the other when that has ended, and not before."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from ladder.errors import LadderError
from ladder.runner.presence import GAP_SECONDS, MARK, CoordinatorPresence, folder_id
from ladder.sandbox.host import scratch
from ladder.store.cluster_models import StoredCoordinator
from ladder.store.commands.coordinators import SILENT_SECONDS, coordinators, database_time
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW
from tests.ladder.virtual import Time

if TYPE_CHECKING:
    from pathlib import Path

    from ladder.store.database import Database, Session

__all__ = ["backend"]

OTHER_PROCESS = "barn 11111111-2222-3333-4444-555555555555 pid:[4026531836] 7 12345"
"""A process of another machine."""


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def presence(tmp_path: Path, time: Time) -> CoordinatorPresence:
    return CoordinatorPresence(tmp_path, lambda _: time())


def hear_of(database: Database, holder: str, folder: str, seen: float = NOW) -> None:
    """Let another coordinator have spoken."""
    with database.write() as session:
        session.merge(StoredCoordinator(holder=holder, folder=folder, joined=NOW, seen=seen))


def join(database: Database, presence: CoordinatorPresence) -> None:
    with database.write() as session:
        presence.join(session)


def beat(database: Database, presence: CoordinatorPresence, *others: str, time: Time, seconds: float) -> frozenset[str]:
    """Let *seconds* pass, in which *others* have reported; give the coordinators that have ended."""
    ended: frozenset[str] = frozenset()
    for _ in range(round(seconds / 20)):
        time.now += 20
        with database.write() as session:
            for other in others:
                seen = update(StoredCoordinator).where(StoredCoordinator.holder == other)
                session.execute(seen.values(seen=time.now - 50))
            ended |= presence.beat(session)
    return ended


def listed(session: Session) -> set[str]:
    return {seen.holder for seen in coordinators(session)}


def of_another_boot() -> str:
    """A process of a machine that has our machine's name, which is not this one, or is, before it was started anew."""
    machine, _, *rest = scratch.this_process().split(" ")
    return " ".join([machine, "11111111-2222-3333-4444-555555555555", *rest])


def ended_here() -> str:
    """A process of this machine that has ended."""
    name = "from ladder.sandbox.host import scratch; print(scratch.this_process())"
    return subprocess.run([sys.executable, "-c", name], capture_output=True, text=True, check=True).stdout.strip()


@IN_BOTH
def test_one_that_speaks_lives_and_one_that_is_silent_has_ended(
    database: Database, presence: CoordinatorPresence, time: Time, tmp_path: Path
) -> None:
    hear_of(database, OTHER_PROCESS, folder_id(tmp_path))
    join(database, presence)
    assert beat(database, presence, OTHER_PROCESS, time=time, seconds=3600) == set()
    assert presence.others == {OTHER_PROCESS}
    assert beat(database, presence, time=time, seconds=SILENT_SECONDS - 60) == set()
    assert beat(database, presence, time=time, seconds=60) == {OTHER_PROCESS}
    assert presence.others == set()
    with database.read() as session:
        assert listed(session) == {presence.holder}


@IN_BOTH
def test_whoever_was_taken_for_ended_is_heard_again_when_it_speaks(
    database: Database, presence: CoordinatorPresence, time: Time, tmp_path: Path
) -> None:
    join(database, presence)
    with database.write() as session:
        session.query(StoredCoordinator).delete()
    beat(database, presence, time=time, seconds=20)
    with database.read() as session:
        assert listed(session) == {presence.holder}


def test_while_the_database_was_away_nobody_could_speak_and_nobody_has_ended(
    database: Database, presence: CoordinatorPresence, time: Time, tmp_path: Path
) -> None:
    hear_of(database, OTHER_PROCESS, folder_id(tmp_path))
    join(database, presence)
    time.now += GAP_SECONDS + 3600
    assert beat(database, presence, time=time, seconds=SILENT_SECONDS) == set()
    assert beat(database, presence, OTHER_PROCESS, time=time, seconds=SILENT_SECONDS) == set()


@IN_BOTH
def test_a_clock_of_the_database_that_is_set_ends_nobody(
    database: Database, presence: CoordinatorPresence, time: Time, tmp_path: Path
) -> None:
    hear_of(database, OTHER_PROCESS, folder_id(tmp_path))
    join(database, presence)
    for hour in (3600, -7200):
        time.now += hour
        assert beat(database, presence, OTHER_PROCESS, time=time, seconds=600) == set()


@IN_BOTH
def test_a_process_of_this_machine_that_was_killed_has_ended_at_once(
    database: Database, presence: CoordinatorPresence, tmp_path: Path
) -> None:
    killed = ended_here()
    hear_of(database, killed, "another folder")
    join(database, presence)
    assert presence.has_ended(killed)
    assert presence.others == set()


def test_a_machine_of_the_same_name_is_another_one_but_for_sqlite_which_has_only_one(
    database: Database, presence: CoordinatorPresence, tmp_path: Path, backend: str
) -> None:
    hear_of(database, of_another_boot(), folder_id(tmp_path))
    join(database, presence)
    assert presence.has_ended(of_another_boot()) is (backend == "sqlite")
    assert presence.others == (set() if backend == "sqlite" else {of_another_boot()})


def test_one_that_never_spoke_has_ended_with_its_machine(database: Database, presence: CoordinatorPresence) -> None:
    join(database, presence)
    assert presence.has_ended(of_another_boot())
    assert not presence.has_ended(OTHER_PROCESS)
    assert not presence.has_ended("nobody")


def test_two_coordinators_keep_their_records_in_one_folder(
    database: Database, presence: CoordinatorPresence, time: Time, tmp_path: Path
) -> None:
    hear_of(database, OTHER_PROCESS, "another folder")
    with pytest.raises(LadderError, match=r"^A coordinator on barn .* '.*'\. "):
        join(database, presence)
    with database.read() as session:
        assert listed(session) == {OTHER_PROCESS}
    time.now += SILENT_SECONDS
    join(database, presence)


def test_whoever_leaves_is_missed_by_nobody(database: Database, presence: CoordinatorPresence) -> None:
    join(database, presence)
    with database.write() as session:
        presence.leave(session)
        assert listed(session) == set()


def test_a_folder_gets_one_name_however_many_ask_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        names = set(threads.map(folder_id, [tmp_path] * 8))
    assert len(names) == 1
    assert [path.name for path in tmp_path.iterdir()] == [MARK]


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    with pytest.raises(LadderError, match=r"nowhere' cannot be used: No"):
        folder_id(tmp_path / "nowhere")
    (tmp_path / MARK).write_bytes(b"\xff")
    with pytest.raises(LadderError, match=rf"{MARK}' is not .* remove it\."):
        folder_id(tmp_path)


@IN_BOTH
def test_the_clock_of_a_database_goes_on(database: Database) -> None:
    with database.write() as session:
        first = database_time(session)
        assert first <= database_time(session) < first + 60
