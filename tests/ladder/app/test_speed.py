"""The speed of a ladder: by its last matches here, and by matches of sample bots before the first one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ladder.app import speed
from ladder.app.ladder import Ladder
from ladder.app.speed import HOW_TO_MEASURE, RECENT, ladder_speed, speed_finding
from ladder.errors import SandboxError
from ladder.pairing.match_length import FEWEST, MatchTime
from ladder.store import models
from tests.ladder import ladders

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.settings.settings import Settings
    from ladder.store.database import Database


def results(database: Database, count: int, deals: int, seconds: float, worker: str | None = None) -> None:
    with database.write() as session:
        versions = [ladders.enter(session, name) for name in ("a", "b", "c", "d")]
        before = session.query(models.StoredMatch).count()
        for number in range(before, before + count):
            match = session.get_one(models.StoredMatch, ladders.queue(session, versions, seed=str(number)))
            match.status, match.ordinal, match.deals, match.worker = models.Status.DONE, number + 1, deals, worker
            match.starting_seconds, match.playing_seconds = seconds / 4, seconds * 3 / 4


@pytest.fixture
def two_at_once(settings: Settings, database: Database) -> Ladder:
    return Ladder(settings.model_copy(update={"concurrency": 2, "sandbox": "docker"}), database)


def test_the_last_matches_on_this_machine_say_how_many_deals_an_hour_to_expect(
    two_at_once: Ladder, database: Database
) -> None:
    results(database, RECENT, deals=1, seconds=1000.0)
    results(database, RECENT, deals=16, seconds=40.0)
    results(database, RECENT, deals=16, seconds=0.1, worker="another machine")
    # 16 deals in 40 s are 1,440 an hour, and two matches are played at once
    assert f"{RECENT} matches" in ladder_speed(two_at_once)
    assert "2,900 deals" in ladder_speed(two_at_once)


@pytest.mark.parametrize(("count", "says"), [(0, False), (FEWEST - 1, False), (FEWEST, True)])
def test_where_too_few_were_played_the_way_to_measure_is_named(
    two_at_once: Ladder, database: Database, count: int, says: bool
) -> None:
    results(database, count, deals=16, seconds=40.0)
    assert (ladder_speed(two_at_once) != HOW_TO_MEASURE) is says


def test_of_bots_in_processes_nothing_is_promised(settings: Settings, database: Database) -> None:
    assert ladder_speed(Ladder(settings.model_copy(update={"sandbox": "process"}), database)) == ""


def measuring(time: MatchTime | SandboxError) -> Callable[..., object]:
    async def measured(*_: object) -> MatchTime:
        if isinstance(time, SandboxError):
            raise time
        return time

    return measured


def test_a_measured_match_counts_as_often_as_the_ladder_would_start_one(
    two_at_once: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speed, "bot_cores", lambda: (1,))
    # Starting below a fifth of a match takes 16 boards here: 64 deals in 16 s + 16 · 4 s, two at once.
    time = MatchTime(2, starting=16.0, playing=8.0)
    monkeypatch.setattr(speed, "_measured", measuring(time))
    found = speed_finding(two_at_once.settings, print).found
    assert f"{round(64 / 80 * 2 * 3600, -2):,.0f} deals" in found
    # 4 deals of 52 cards, 10 ms each, and another match on the one core: 4.16 s more for each board, so 8 are enough
    assert f"{round(32 / (16 + 8 * (4 + 4.16)) * 2 * 3600, -2):,.0f} with bots" in found
    monkeypatch.setattr(speed, "_measured", measuring(replace(time, starting=1.0)))
    assert f"{round(8 / 9 * 2 * 3600, -2):,.0f} deals" in speed_finding(two_at_once.settings, print).found


def test_what_hinders_the_measurement_is_said(two_at_once: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "_measured", measuring(SandboxError("No room.")))
    finding = speed_finding(two_at_once.settings, print)
    assert (finding.holds, finding.follows) == (False, "No room.")
