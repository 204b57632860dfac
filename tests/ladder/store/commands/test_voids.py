"""Matches that were void though the platform worked: who is suspended for them, and who never is."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import event, func, select, update

from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.commands.opening import open_ladder
from ladder.store.commands.suspending import resume_due, suspend_for_voids
from ladder.store.models import State, Status
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW, enter, queue

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from sqlalchemy.orm import Session

    from ladder.store.database import Database

    Spoils = Callable[[Sequence[str]], str | None]
    """Given the bots of a match: whose container is lost, "" if it is void for another reason, None if it is played."""

__all__ = ["backend"]

POOL = [f"Pig{number}" for number in range(20)]
BAD = "Pig0"


def play(
    database: Database,
    pool: Sequence[str],
    spoils: Spoils,
    matches: int,
    now: float = NOW,
    variant: str = "hearts",
) -> list[str]:
    """Play matches of bots that chance puts together, as long as they are active; give who is suspended."""
    sides = 2 if variant.endswith("partners") else 4
    chance, suspended = random.Random(5), []
    with database.write() as session:
        versions = {}
        for bot in pool:
            known = session.scalars(
                select(models.Version.id).join(models.StoredBot, models.StoredBot.id == models.Version.bot_id)
                .where(models.StoredBot.name == bot)
            ).first()  # fmt: skip
            versions[bot] = known or enter(session, bot, variant)
        for number in range(matches):
            resting = set(
                session.scalars(select(models.Rating.version_id).where(models.Rating.state == State.SUSPENDED))
            )
            free = [bot for bot in pool if versions[bot] not in resting]
            table = chance.sample(free, sides) * (4 // sides)
            match = queue(session, [versions[bot] for bot in table], variant)
            lost = spoils(table)
            at = now + 1 + number
            if lost is None:
                record(session, match, at)
            else:
                found = suspend_for_voids(session, match, table.index(lost) if lost else None, at)
                suspended += [name for name, _, _ in found]
    return suspended


def record(session: Session, match: int, at: float) -> None:
    """Give a match its place among the results."""
    done = session.get_one(models.StoredMatch, match)
    last = session.scalar(select(func.max(models.StoredMatch.ordinal))) or 0
    done.status, done.finished, done.ordinal = Status.DONE, at, last + 1
    seats = session.scalars(select(models.StoredSeat).where(models.StoredSeat.match_id == match)).all()
    entries = {seat.version_id: session.get_one(models.Rating, (done.variant, seat.version_id)) for seat in seats}
    for seat in seats:
        seat.matches_before = entries[seat.version_id].matches
    for entry in entries.values():
        entry.matches += 1


def reason_of(database: Database, bot: str) -> str:
    with database.read() as session:
        rating, version, stored = models.Rating, models.Version, models.StoredBot
        found = session.scalar(
            select(rating.reason)
            .join(version, version.id == rating.version_id)
            .join(stored, stored.id == version.bot_id)
            .where(stored.name == bot)
        )
        return str(found)


def lost_by(*bad: str) -> Spoils:
    return lambda table: next((bot for bot in table if bot in bad), None)


@IN_BOTH
def test_a_bot_whose_container_is_lost_in_each_of_its_matches_is_suspended_after_few(database: Database) -> None:
    assert play(database, POOL, lost_by(BAD), 20) == [BAD]
    assert " in 4 of the last 4 " in reason_of(database, BAD)
    with database.read() as session:
        changes = session.scalars(select(models.StateChange)).all()
        assert [(change.state, change.by) for change in changes] == [("suspended", "ladder")]


def test_where_every_match_has_the_same_bots_the_one_whose_container_is_lost_is_suspended(database: Database) -> None:
    table = POOL[:5]
    assert play(database, table, lost_by(BAD), 12) == [BAD]


def test_a_bot_whose_container_is_lost_only_when_it_is_behind_is_suspended_all_the_same(database: Database) -> None:
    behind = iter(range(1, 1000))

    def spoils(table: Sequence[str]) -> str | None:
        return BAD if BAD in table and next(behind) % 4 == 0 else None

    assert play(database, POOL, spoils, 100) == [BAD]


def test_several_such_bots_do_not_excuse_one_another(database: Database) -> None:
    assert sorted(play(database, POOL, lost_by(*POOL[:3]), 60)) == POOL[:3]


def test_a_bot_that_is_common_to_void_matches_is_suspended_though_no_container_is_known(database: Database) -> None:
    assert play(database, POOL, lambda table: "" if BAD in table else None, 60) == [BAD]
    assert "and it played, in " in reason_of(database, BAD)


@pytest.mark.parametrize("lost", [True, False])
@pytest.mark.parametrize("pool", [POOL, POOL[:5], POOL[:4]], ids=len)
def test_a_machine_that_spoils_matches_by_chance_suspends_nobody(
    database: Database, pool: Sequence[str], lost: bool
) -> None:
    luck = random.Random(8)

    def spoils(table: Sequence[str]) -> str | None:
        if luck.random() < 0.6:
            return None
        return luck.choice(table) if lost else ""

    assert play(database, pool, spoils, 40) == []


def test_where_every_match_has_the_same_bots_nobody_is_common_to_void_matches(database: Database) -> None:
    assert play(database, POOL[:4], lambda table: "", 20) == []


def test_a_bot_that_is_back_is_judged_by_what_comes_after_and_stays_away_for_longer(database: Database) -> None:
    assert play(database, POOL, lost_by(BAD), 20) == [BAD]
    with database.write() as session:
        assert len(resume_due(session, NOW + 10_000)) == 1
    assert play(database, POOL, lambda table: None, 20, NOW + 10_000) == []
    assert play(database, POOL, lost_by(BAD), 60, NOW + 11_000) == [BAD]
    assert reason_of(database, BAD).endswith("It plays again after 2 hours.")


def test_a_partner_has_no_smaller_share_because_it_has_two_seats(database: Database) -> None:
    numbers = iter(range(59))

    def spoils(table: Sequence[str]) -> str | None:
        return None if 0 < next(numbers) <= 50 else BAD

    assert play(database, POOL[:2], spoils, 59, variant="gongzhu-partners") == [], "9 of 9 by chance: 1 in 512"
    assert play(database, POOL[:2], lost_by(BAD), 1, NOW + 1000, "gongzhu-partners") == [BAD], "1 in 1,024"


@IN_BOTH
def test_only_void_matches_of_the_season_count(database: Database) -> None:
    def lost(times: int) -> Spoils:
        left = iter(range(times))
        return lambda table: None if BAD not in table or next(left, None) is None else BAD

    assert play(database, POOL[:5], lost(4), 20) == []
    with database.write() as session:
        variant = session.get_one(models.Variant, "hearts")
        variant.season_start, variant.season_began = 16, NOW + 100
        session.execute(update(models.Rating).values(matches=0))
    assert play(database, POOL[:5], lost(4), 20, NOW + 200) == []
    assert play(database, POOL[:5], lost(1), 20, NOW + 300) == [BAD]


@pytest.mark.sqlite
def test_while_all_others_wait_no_results_of_sqlite_are_read_but_by_index(tmp_path: Path) -> None:
    """Although it knows nothing of the sizes of the tables."""
    ladder = open_ladder(load_settings(data_dir=tmp_path), create=True)
    play(ladder, POOL, lambda table: None, 20)
    asked: list[tuple[str, Any]] = []
    event.listen(ladder.engine, "before_cursor_execute", lambda *found: asked.append((found[2], found[3])))
    with ladder.write() as session:
        suspend_for_voids(session, queue(session, range(1, 5)), None, NOW + 30)
        suspend_for_voids(session, queue(session, range(1, 5)), 0, NOW + 31)
        plans = [
            row[3]
            for text, values in tuple(asked)
            if text.startswith("SELECT")
            for row in session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values)
        ]
    ladder.close()
    assert [plan for plan in plans if "ix_matches_variant (variant=? AND ordinal>?)" in plan]
    assert not [plan for plan in plans if plan.startswith("SCAN") or "ix_matches_variant (variant=?)" in plan], plans
