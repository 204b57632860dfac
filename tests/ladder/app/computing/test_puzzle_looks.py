"""The process that computes finds puzzles by itself, one match at a time, and lets visitors take their turns."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from ladder.app.computing.computing_run import ASKER, look_for_puzzles
from ladder.people.review.puzzles import overview
from ladder.store import models
from ladder.store.commands import computations
from ladder.store.commands.computations import NewQuestion
from ladder.store.computing_models import PuzzleLook
from ladder.store.turns import waiting_computations
from ladder.values.people import TableVisitor
from ladder.values.questions import Lane
from tests.ladder.computing_here import computing_here
from tests.ladder.puzzles import ladder as ladder
from tests.ladder.puzzles import lines as lines
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder


async def test_a_running_ladder_finds_puzzles_by_itself(ladder: Ladder) -> None:
    async with computing_here(ladder), asyncio.timeout(PATIENCE):
        while not overview(ladder, TableVisitor()).variants:
            await asyncio.sleep(0.05)
    (count,) = overview(ladder, TableVisitor()).variants
    assert (count.variant, count.next, count.answered) == ("hearts", 1, 0)


def test_one_match_waits_at_a_time_and_takes_its_turn_like_a_visitor(ladder: Ladder) -> None:
    with ladder.database.write() as session:
        look_for_puzzles(ladder, session, ladder.clock())
        look_for_puzzles(ladder, session, ladder.clock() + 1000.0)
        assert [each.visitor for each in waiting_computations(session)] == [ASKER]
        computations.ask(session, NewQuestion("key", Lane.LONG, {"kind": "costliest"}, "now", "account ada"), 1.0)
        turns = [computations.claim(session, Lane.LONG, "me", ladder.clock(), 60.0) for _ in range(2)]
        assert sorted(each.question["kind"] for each in turns if each) == ["costliest", "puzzles"]


def test_a_queue_that_is_full_leaves_the_match_for_later(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computations.ask, "__defaults__", (1,))
    with ladder.database.write() as session:
        computations.ask(session, NewQuestion("key", Lane.LONG, {"kind": "costliest"}, "now", "account ada"), 1.0)
        look_for_puzzles(ladder, session, ladder.clock())
        assert [each.visitor for each in waiting_computations(session)] == ["account ada"]
        assert session.get(PuzzleLook, "hearts") is None


def test_matches_that_are_not_public_are_not_looked_at(ladder: Ladder) -> None:
    with ladder.database.write() as session:
        session.get_one(models.StoredMatch, 1).sealed = True
        look_for_puzzles(ladder, session, ladder.clock())
        assert waiting_computations(session) == []
