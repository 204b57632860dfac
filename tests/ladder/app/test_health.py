"""Health of a ladder, and the message to its organiser if it does not play; in either database."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from ladder.app import health as health_module
from ladder.app.health import DOWN_SECONDS, MIN_FREE, WAITS, health, ladder_findings
from ladder.app.ladder import Ladder
from ladder.app.missing_runner import START_HERE, why_nothing_plays
from ladder.runner.presence import CoordinatorPresence
from ladder.sandbox.host import scratch
from ladder.store.commands.coordinators import coordinators, database_time, note_alive
from ladder.values.accounts import ANONYMOUS, Viewer
from ladder.values.value import time_of
from tests.e2e.command import pigpen
from tests.ladder import ladders
from tests.ladder.databases import later_backend as backend

if TYPE_CHECKING:
    from ladder.settings.settings import Settings
    from ladder.store.database import Database

__all__ = ["backend"]


@pytest.fixture
def ladder(settings: Settings, database: Database) -> Ladder:
    """A ladder with a match in the queue, and no runner that plays it."""
    with database.write() as session:
        four = [ladders.enter(session, name, owner=name) for name in ("Ada", "Ben", "Cleo", "Dai")]
        ladders.queue(session, four)
    return Ladder(settings, database)


def alive(ladder: Ladder, holder: str, ago: float) -> float:
    """Let a coordinator have spoken that number of seconds ago; gives the time."""
    with ladder.database.write() as session:
        seen = database_time(session) - ago
        note_alive(session, holder, "folder", seen)
        return seen


def test_a_ladder_without_a_runner_says_that_nothing_plays(ladder: Ladder) -> None:
    found = health(ladder)
    assert (found.runners, found.seen, found.silent_seconds, found.waiting) == (0, None, None, 1)
    assert "no runner has been" in why_nothing_plays(found, START_HERE)
    assert ": pigpen up" in why_nothing_plays(found, START_HERE)
    assert found.free_bytes is not None


@pytest.mark.parametrize(("free", "shown"), [(2**30 - 1, 0), (2**30, 2**30), (2**30 + 1, 2**30), (2**31 - 1, 2**30)])
def test_the_room_moves_with_each_match_so_only_organisers_see_it_to_the_byte(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch, free: int, shown: int
) -> None:
    monkeypatch.setattr("ladder.app.health.shutil.disk_usage", lambda _: SimpleNamespace(free=free))
    assert health(ladder).free_bytes == free
    assert [health(ladder, who).free_bytes for who in (ANONYMOUS, Viewer("ada"))] == [shown, shown]


def test_where_nothing_waits_no_runner_is_missing(settings: Settings, database: Database) -> None:
    found = health(Ladder(settings, database))
    assert (found.runners, found.waiting, why_nothing_plays(found, START_HERE)) == (0, 0, "")
    assert all(finding.holds for finding in ladder_findings(settings))


def test_a_runner_that_speaks_is_up_and_one_that_is_silent_or_has_ended_is_not(ladder: Ladder) -> None:
    alive(ladder, scratch.this_process(), 5.0)
    found = health(ladder)
    assert (found.runners, why_nothing_plays(found, START_HERE)) == (1, "")
    seen = alive(ladder, scratch.this_process(), DOWN_SECONDS + 60.0)
    found = health(ladder)
    assert (found.runners, found.seen) == (0, time_of(seen))
    assert f"seen since {time_of(seen):%Y-%m-%d %H:%M} UTC" in why_nothing_plays(found, START_HERE)


def test_a_runner_that_was_killed_is_down_at_once(ladder: Ladder) -> None:
    name = "from ladder.sandbox.host.scratch import this_process; print(this_process())"
    killed = subprocess.run([sys.executable, "-c", name], capture_output=True, text=True, check=True).stdout.strip()
    alive(ladder, killed, 1.0)
    found = health(ladder)
    assert found.runners == 0
    assert found.seen is not None


def test_when_a_runner_was_seen_last_outlives_its_orderly_end(ladder: Ladder) -> None:
    presence = CoordinatorPresence(ladder.settings.data_dir)
    with ladder.database.write() as session:
        presence.join(session)
    assert health(ladder).runners == 1
    with ladder.database.write() as session:
        presence.leave(session)
        assert coordinators(session) == []
    found = health(ladder)
    assert found.runners == 0
    assert found.seen is not None
    with ladder.database.write() as session:
        presence.join(session)
    assert health(ladder).runners == 1


def test_the_oldest_match_in_the_queue_tells_its_age(ladder: Ladder) -> None:
    later = Ladder(ladder.settings, ladder.database, lambda: ladders.NOW + 1000.0)
    assert health(later).oldest_seconds == 1000.0


def test_matches_and_doctor_say_that_nothing_plays(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIGPEN_DATA_DIR", str(ladder.settings.data_dir))
    monkeypatch.setenv("PIGPEN_DATABASE_URL", ladder.settings.url.render_as_string(hide_password=False))
    listed = pigpen("matches", "--status", "queued")
    assert (listed.returncode, "Ada" in listed.stdout) == (0, True)
    assert listed.stderr.startswith("Nothing plays: no runner")
    runner, room = ladder_findings(ladder.settings)
    assert (runner.name, runner.holds, room.name, room.holds) == ("Runner", False, "Room", True)
    assert WAITS.format(1) in runner.follows
    alive(ladder, scratch.this_process(), 5.0)
    assert pigpen("matches", "--status", "queued").stderr == ""
    monkeypatch.setattr(health_module, "_free", lambda folder: MIN_FREE - 1)
    runner, room = ladder_findings(ladder.settings)
    assert (runner.holds, runner.found, room.holds) == (True, "1", False)
