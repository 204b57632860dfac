"""Rank intervals when a bot leaves or comes back: they follow at once, and no figure that was shown changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.app.ladder import Ladder
from ladder.app.matches import explanation
from ladder.store import models
from ladder.store.commands.entries import retire
from ladder.store.commands.estimates import active_versions, refresh
from ladder.store.commands.results import record_summary
from ladder.store.commands.suspending import resume_entries, set_state, suspend_entries
from ladder.store.last_estimate import estimate_of
from ladder.store.lookup import find_stored_bot, find_variant, find_version
from ladder.store.models import State
from ladder.store.queries.rating_curve import rating_curve
from ladder.store.queries.standings import extent, standings
from tests.ladder import ladders, shown
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.settings.settings import Settings
    from ladder.store.database import Database

__all__ = ["backend"]

VARIANT = "gongzhu"
NOW = ladders.NOW + 10_000


@pytest.fixture
def versions(database: Database) -> dict[str, int]:
    with database.write() as session:
        found = shown.a_ladder(session, VARIANT, 12)
    refresh(database, VARIANT)
    return found


def figures(settings: Settings, database: Database) -> dict[str, str]:
    """All Elo that a reader sees, of now and of the past, as it is printed."""
    ladder = Ladder(settings, database)
    with database.read() as session:
        variant = find_variant(session, VARIANT)
        table = standings(session, variant, everyone=True).standings
        curves = [rating_curve(session, find_stored_bot(session, bot), variant) for bot in shown.OWNERS]
    explained = [explanation(ladder, match) for match in range(1, 13)]
    return {
        **{row.bot: repr((row.elo, row.error, row.history, row.change)) for row in table},
        **{f"curve of {curve.bot}": curve.model_dump_json() for curve in curves},
        **{f"match {one.match}": one.model_dump_json() for one in explained},
    }


def ranks(database: Database) -> dict[str, tuple[int | None, int | None, int | None]]:
    with database.read() as session:
        table = standings(session, find_variant(session, VARIANT), everyone=True).standings
    return {row.bot: (row.rank, row.rank_low, row.rank_high) for row in table}


def expected(database: Database) -> dict[int, tuple[int, int]]:
    """The intervals among those that play now, by the last estimate."""
    with database.read() as session:
        playing, estimate = active_versions(session, VARIANT), estimate_of(session, VARIANT)
    assert estimate is not None
    among = estimate.among(playing)
    return {version: among.ranks(version) for version in playing}


def leave_and_come_back(database: Database) -> Iterator[None]:
    """Whatever takes a bot out of the matches, and brings it back, one after the other."""
    with database.write() as session:
        retire(session, "Trotter", [], "enough", NOW)
    yield
    with database.write() as session:
        suspend_entries(session, find_version(session, "Snout"), None, "noisy", NOW)
    yield
    with database.write() as session:
        resume_entries(session, find_version(session, "Snout"), None, NOW)
    yield
    with database.write() as session:
        entry = session.get_one(models.Rating, (VARIANT, find_version(session, "Trotter").id))
        set_state(session, entry, State.ACTIVE, "owner", "submitted again", NOW)
    yield


@IN_BOTH
def test_no_figure_that_was_shown_changes_when_bots_leave_and_come_back(
    settings: Settings, database: Database, versions: dict[str, int]
) -> None:
    before = figures(settings, database)
    assert len(before) == 5 + 5 + 12
    for _ in leave_and_come_back(database):
        assert figures(settings, database) == before
    refresh(database, VARIANT)
    assert figures(settings, database) == before


@IN_BOTH
def test_rank_intervals_are_among_those_that_play_as_soon_as_one_leaves_or_comes_back(
    database: Database, versions: dict[str, int]
) -> None:
    names = {version: bot for bot, version in versions.items()}
    sizes = []
    for _ in leave_and_come_back(database):
        now, wanted = ranks(database), expected(database)
        assert {bot: now[bot][1:] for bot in now} == {
            bot: wanted.get(version, (None, None)) for version, bot in names.items()
        }
        assert [rank is None for rank, *_ in now.values()] == [low is None for _, low, _ in now.values()]
        sizes.append(max(high or 0 for *_, high in now.values()))
    assert sizes == [4, 3, 4, 5]


def test_a_bot_that_a_result_suspends_takes_no_rank_from_the_others(
    database: Database, versions: dict[str, int]
) -> None:
    seats = [versions[bot] for bot in ("Trotter", "Snout", "Truffle", "Acorn")]
    for number in range(3):
        with database.write() as session:
            match = ladders.queue(session, seats, VARIANT)
            summary = shown.summary_of(VARIANT, "1", 1)
            result = record_summary(session, match, ladders.lease(session, match), summary, NOW + number)
    assert result is not None
    assert [bot for bot, _ in result.suspended] == ["Snout"]
    now = ranks(database)
    assert now["Snout"] == (None, None, None)
    assert max(high or 0 for *_, high in now.values()) == 4


def test_a_bot_that_the_estimate_does_not_know_yet_has_no_interval_and_stops_nobody(
    database: Database, versions: dict[str, int]
) -> None:
    with database.write() as session:
        ladders.enter(session, "Wallow", VARIANT)
        retire(session, "Trotter", [], "enough", NOW)
    now = ranks(database)
    assert (now["Wallow"][1:], now["Trotter"][1:]) == ((None, None), (None, None))
    assert {bot: now[bot][2] is not None for bot in ("Snout", "Truffle")} == {"Snout": True, "Truffle": True}


def test_without_an_estimate_a_bot_leaves_all_the_same(database: Database) -> None:
    with database.write() as session:
        ladders.enter(session, "Trotter", VARIANT)
        retire(session, "Trotter", [], "enough", NOW)
    assert ranks(database) == {"Trotter": (None, None, None)}


def test_the_shift_of_an_older_ladder_is_added_wherever_elo_is_shown(
    settings: Settings, database: Database, versions: dict[str, int]
) -> None:
    ladder = Ladder(settings, database)
    with database.write() as session:
        variant = find_variant(session, VARIANT)
        variant.shift = 40.0
        (first, *_) = standings(session, variant).standings
        stored = session.get_one(models.Rating, (VARIANT, versions[first.bot])).rating
        assert (first.elo, first.history[-1]) == (stored + 40, stored + 40)
        curve = rating_curve(session, find_stored_bot(session, first.bot), variant)
        assert curve.points[-1].elo == first.elo
        assert extent(session, variant).high >= first.elo  # type: ignore[operator]
    assert explanation(ladder, 12).shift == 40.0
