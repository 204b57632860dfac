"""Knowledge from which matches are chosen: the same to the last bit, whatever is kept in memory from before."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from sqlalchemy import delete, select

from ladder.pairing.information import Information
from ladder.store import models
from ladder.store.commands import knowledge
from ladder.store.commands.estimates import refresh
from ladder.store.commands.knowledge import fields_of, knowledge_of
from ladder.store.commands.results import record_summary
from ladder.store.commands.scheduling import fill_queue
from tests.ladder.ladders import NOW, enter, lease, queue, summary_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.orm import Session

    from ladder.settings.settings import Settings
    from ladder.store.database import Database

BOTS, STEPS = 8, 40
UNSEEN = 0.6
"""The share of changes after which nobody looks, as another process would not tell."""


class Undone(Exception):
    """A transaction is rolled back."""


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[int, ...]]]:
    """The tables that are counted, one after the other."""
    found = list[tuple[int, ...]]()
    expect = Information.expect

    def noted(known: Information, versions: tuple[int, ...], boards: int) -> None:
        found.append(tuple(versions))
        expect(known, versions, boards)

    monkeypatch.setattr(Information, "expect", noted)
    yield found
    knowledge._KEPT.clear()


def entered(database: Database) -> list[int]:
    with database.write() as session:
        return [enter(session, f"bot {number}") for number in range(BOTS)]


def known(session: Session, boards: int = 4, boundary: int = 3) -> Information:
    return knowledge_of(session, "hearts", fields_of(session)["hearts"], boards, boundary)


def bits(found: Information) -> list[bytes]:
    """All that there is to know of the gains."""
    near = found.near(3)
    assert near is not None
    every = (found.ratings, found.variances, found.totals, *near, found.gains(np.arange(BOTS)))
    return [each.tobytes() for each in every]


def waiting(session: Session) -> list[int]:
    return list(session.scalars(select(models.StoredMatch.id).where(models.StoredMatch.status == "queued")))


def play(session: Session, match: int) -> None:
    """Record a result, whatever its cards."""
    session.get_one(models.StoredMatch, match).commitment = summary_of().commitment
    assert record_summary(session, match, lease(session, match), summary_of(), NOW)


def withdraw(session: Session, match: int) -> None:
    for table, number in ((models.StoredSeat, models.StoredSeat.match_id), (models.StoredMatch, models.StoredMatch.id)):
        session.execute(delete(table).where(number == match))


@pytest.mark.parametrize("seed", range(3))
def test_what_is_kept_changes_no_bit(database: Database, settings: Settings, seed: int) -> None:
    versions = entered(database)
    rng, acts = Random(seed), set[str]()
    for step in range(STEPS):
        act = rng.choice(
            ("plan", "plan", "play", "play", "withdraw", "estimate", "undo", "by another process", "other boards")
        )
        if act == "estimate":
            refresh(database, "hearts")
        with suppress(Undone), database.write() as session:
            if act in ("plan", "undo"):
                fill_queue(session, settings, Random(step), NOW, rng.randint(1, 3))
                if act == "undo":
                    raise Undone
            elif act == "by another process":
                queue(session, rng.sample(versions, 4))
            elif act in ("play", "withdraw") and (left := waiting(session)):
                {"play": play, "withdraw": withdraw}[act](session, rng.choice(left))
        acts.add(act)
        if rng.random() < UNSEEN:
            continue
        with database.read() as session:
            boards = 1 if act == "other boards" else 4
            found, kept = bits(known(session, boards)), dict(knowledge._KEPT)
            knowledge._KEPT.clear()
            assert bits(known(session, boards)) == found, f"after {act}"
            knowledge._KEPT.update(kept)
    assert len(acts) == 7


def test_only_what_is_new_is_counted(database: Database, settings: Settings, counted: list[tuple[int, ...]]) -> None:
    versions = entered(database)
    refresh(database, "hearts")
    with database.write() as session:
        ids = [queue(session, versions[number : number + 4]) for number in (0, 1, 2, 3)]
        before = bits(known(session))
        assert counted == [tuple(versions[number : number + 4]) for number in (0, 1, 2, 3)]
        counted.clear()
        play(session, ids[2])
        assert bits(known(session)) == before
        assert counted == [], "a match that ends is known already"
        queue(session, versions[4:])
        known(session)
        assert counted == [tuple(versions[4:])]
        counted.clear()
        withdraw(session, ids[1])
        known(session)
        assert len(counted) == 4, "all but the one that was withdrawn"


def test_what_the_caller_changes_is_not_kept(database: Database) -> None:
    versions = entered(database)
    with database.write() as session:
        queue(session, versions[:4])
        before = bits(known(session))
        known(session).expect(versions[4:], 4)
        assert bits(known(session)) == before


def test_of_many_results_the_newest_are_counted_and_old_ones_dropped_many_at_a_time(
    database: Database, monkeypatch: pytest.MonkeyPatch, counted: list[tuple[int, ...]]
) -> None:
    monkeypatch.setattr(knowledge, "MAX_SINCE", 8)
    monkeypatch.setattr(knowledge, "STEP", 4)
    versions = entered(database)
    refresh(database, "hearts")
    sizes = []
    for _ in range(14):
        with database.write() as session:
            play(session, queue(session, versions[:4]))
            counted.clear()
            known(session)
            sizes.append(len(counted))
    assert sizes == [1, 1, 1, 1, 1, 1, 1, 1, 5, 1, 1, 1, 5, 1]
