"""Bots that enter and leave the ladder: house bots where owners are missing, and retired ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.entry.house_bots import HOUSE_BOTS
from ladder.store import models
from ladder.store.commands.entries import retire, settle_house_bots
from ladder.store.commands.scheduling import why_no_match
from ladder.store.lookup import find_variant
from ladder.store.models import State
from ladder.store.queries.standings import standings
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW, enter
from tests.ladder.store.submitted import BETTER, TROTTER, states, submit

if TYPE_CHECKING:
    from ladder.store.database import Database

__all__ = ["backend"]

NAMES = [*HOUSE_BOTS]


def settle(database: Database, is_wanted: bool = True) -> dict[str, list[str]]:
    with database.write() as session:
        return settle_house_bots(session, is_wanted, NOW)


def playing(database: Database, variant: str = "hearts") -> list[str]:
    with database.read() as session:
        return sorted(row.bot for row in standings(session, find_variant(session, variant)).standings)


def missing(database: Database, variant: str = "hearts") -> int:
    with database.read() as session:
        return standings(session, find_variant(session, variant), first=0).missing_owners


def missing_with_house_bots(database: Database, variant: str = "hearts") -> int:
    with database.read() as session:
        return standings(session, find_variant(session, variant), first=0, house_bots=True).missing_owners


@IN_BOTH
def test_nobody_waits_for_owners_whom_house_bots_replace(database: Database) -> None:
    with database.write() as session:
        enter(session, "Trotter", owner="ada")
    assert (missing(database), missing_with_house_bots(database)) == (3, 0)
    for name, state, left in zip(
        NAMES, (State.ACTIVE, State.RETIRED, State.SUSPENDED), ((2, 0), (2, 0), (2, 1)), strict=True
    ):
        with database.write() as session:  # one that is suspended stays so
            enter(session, name, owner=name, state=state)
        assert (missing(database), missing_with_house_bots(database)) == left
    with database.write() as session:
        retire(session, "Trotter", [], "enough", NOW)
    assert missing_with_house_bots(database) == missing(database)


@pytest.fixture
def house(database: Database) -> None:
    """All house bots, entered for the variant for two."""
    with database.write() as session:
        for name in NAMES:
            enter(session, name, "gongzhu", owner=name)


@IN_BOTH
def test_they_fill_as_many_chairs_as_owners_are_missing_and_leave_one_by_one(database: Database, house: None) -> None:
    with database.write() as session:
        enter(session, "Trotter", owner="ada")
        enter(session, "Snout", owner="ada")
    assert missing(database) == 3
    assert settle(database) == {}
    assert (playing(database), missing(database)) == (sorted([*NAMES, "Snout", "Trotter"]), 0)
    for count, bot in enumerate(("Truffle", "Wallow"), 1):
        with database.write() as session:
            enter(session, bot, owner=bot)
        settle(database)
        assert [name for name in playing(database) if name in HOUSE_BOTS] == sorted(NAMES[: 3 - count])
    with database.write() as session:
        enter(session, "Mud", owner="eve")
    settle(database)
    assert playing(database) == ["Mud", "Snout", "Trotter", "Truffle", "Wallow"]
    with database.write() as session:
        retire(session, "Mud", [], "enough", NOW)
    settle(database)
    assert playing(database) == ["Snout", "Trotter", "Truffle", "Wallow", NAMES[0]]


def test_they_play_nowhere_alone_and_not_where_nobody_wants_them(database: Database, house: None) -> None:
    assert playing(database, "gongzhu") == sorted(NAMES)
    settle(database)
    assert playing(database, "gongzhu") == []
    with database.write() as session:
        enter(session, "Trotter", owner="ada")
    settle(database)
    assert len(playing(database)) == 4
    settle(database, is_wanted=False)
    assert (playing(database), missing(database)) == (["Trotter"], 3)
    with database.read() as session:
        reason = why_no_match(session, ["hearts"])
    assert reason is not None
    assert "for 3 more owners" in reason


def test_those_that_were_never_entered_are_named_with_their_variants(database: Database) -> None:
    with database.write() as session:
        enter(session, "Trotter", owner="ada")
        enter(session, "Snout", "gongzhu-partners", owner="ben")
    assert settle(database) == {
        NAMES[0]: ["gongzhu-partners", "hearts"], NAMES[1]: ["hearts"], NAMES[2]: ["hearts"],
    }  # fmt: skip
    assert settle(database, is_wanted=False) == {}


def test_one_that_is_suspended_stays_so_and_the_next_one_sits_down(database: Database, house: None) -> None:
    with database.write() as session:
        for bot in ("Trotter", "Snout", "Truffle"):
            enter(session, bot, owner=bot)
        version = session.get_one(models.Rating, ("gongzhu", 1)).version_id
        session.add(
            models.Rating(variant="hearts", version_id=version, since=NOW, rating=1500.0, state=State.SUSPENDED)
        )
    settle(database)
    assert [name for name in playing(database) if name in HOUSE_BOTS] == [NAMES[1]]


def test_a_bot_of_that_name_of_another_owner_is_no_house_bot(database: Database) -> None:
    with database.write() as session:
        enter(session, NAMES[0], owner="mallory")
    assert settle(database).keys() == set(NAMES[:3])
    settle(database, is_wanted=False)
    assert playing(database) == [NAMES[0]]


def leave(database: Database, word: str, *variants: str) -> list[tuple[str, str]]:
    with database.write() as session:
        return retire(session, word, variants, "on holiday", 9.0)


@IN_BOTH
def test_a_version_after_all_others_retired_begins_with_the_rating_of_the_newest(database: Database) -> None:
    submit(database, TROTTER)
    leave(database, "Trotter")
    assert submit(database, BETTER).variants[0].elo == 1500.0
    assert states(database) == {1: State.RETIRED, 2: State.ACTIVE}
