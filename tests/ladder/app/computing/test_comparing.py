"""Two bots of a ladder beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.app.computing.comparing import DIFFERING, compare_bots, most_different
from ladder.errors import LadderError
from ladder.matches import compared_records
from ladder.store import models
from ladder.values.bot_comparison import ComparedBoard
from tests.ladder import ladders
from tests.ladder.computing_here import compute_all
from tests.ladder.site.visitor import MATCHES, small_site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.app.ladder import Ladder


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ladder]:
    """Twelve matches of gongzhu of five bots, of the first of which the record is gone."""
    with small_site(tmp_path_factory.mktemp("ladder")) as site:
        yield site.ladder


def test_what_the_store_knows_is_there_at_once_and_the_records_later(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compared_records, "MIN_BOARDS", 2)
    first = compare_bots(ladder, "Trotter", "Snout")
    assert first.computing is not None
    assert (first.sources, first.phases, first.favours) == ((), (), ())
    assert first.difference is not None
    assert compute_all(ladder) == 1
    found = compare_bots(ladder, "Trotter", "Snout")
    assert found.computing is None
    assert found.model_copy(update={"sources": (), "deals": 0, "phases": (), "favours": (), "computing": None}) == (
        first.model_copy(update={"computing": None})
    )
    kept = [match for match in range(1, MATCHES + 1) if {"Trotter", "Snout"} <= bots_of(ladder, match)]
    assert found.matches == found.newest == len(kept)
    assert found.sources == tuple(sorted(set(kept) - {1}, reverse=True)), "the record of the first one is gone"
    assert [(each.first, each.last) for each in found.phases] == [(1, 4), (5, 9), (10, 13)]
    assert found.pairs == 20
    for each in found.favours:
        assert each.adjusted_p == min(1.0, 20 * each.p)
    assert compute_all(ladder) == 0


def test_seen_from_the_other_one_it_is_turned_around(ladder: Ladder) -> None:
    one, two = compare_bots(ladder, "Mud", "Acorn"), compare_bots(ladder, "Acorn@1", "Mud", "gongzhu")
    assert (one.bot, one.other, two.bot, two.other) == ("Mud", "Acorn", "Acorn", "Mud")
    assert one.difference
    assert two.difference
    assert one.difference.mean == -two.difference.mean
    assert one.difference.error == two.difference.error
    assert one.score + two.score == one.matches == two.matches
    assert [(each.match, each.bot, each.other) for each in one.differing] == [
        (each.match, each.other, each.bot) for each in two.differing
    ]


def test_boards_are_those_on_which_they_differ_most() -> None:
    boards = [ComparedBoard(match=1, board=board, bot=float(board % 7), other=0.0) for board in range(1, 40)]
    found = most_different(boards)
    assert len(found) == DIFFERING
    assert [each.difference for each in found] == [6.0] * 5 + [5.0] * 5 + [4.0] * 2
    assert most_different(boards[6:7]) == [], "on board 7 they are level"


@pytest.mark.parametrize(
    ("one", "two", "variant", "message"),
    [
        ("Trotter", "Trotter", None, "the same version. Choose two different bots"),
        ("Trotter", "Nil", None, "no bot 'Nil'"),
        ("Trotter@7", "Snout", None, "no Trotter@7"),
        ("Trotter", "Snout", "bridge", "does not play 'bridge'"),
        ("Trotter", "Loner", None, "no variant in which both Trotter and Loner"),
        ("Trotter", "Loner", "gongzhu", "Loner is not entered in gongzhu"),
    ],
)
def test_what_cannot_be_compared_is_named(
    ladder: Ladder, one: str, two: str, variant: str | None, message: str
) -> None:
    with ladder.database.write() as session:
        if session.query(models.StoredBot).filter_by(name="Loner").count() == 0:
            ladders.enter(session, "Loner", "hearts")
    with pytest.raises(LadderError, match=message):
        compare_bots(ladder, one, two, variant)


def test_two_that_have_not_met_have_nothing_and_wait_for_nothing(ladder: Ladder) -> None:
    with ladder.database.write() as session:
        ladders.enter(session, "Stranger", "gongzhu")
    found = compare_bots(ladder, "Stranger", "Trotter")
    assert (found.variant, found.matches, found.newest, found.difference, found.computing) == (
        "gongzhu", 0, 0, None, None,
    )  # fmt: skip
    assert found.differing == ()


def bots_of(ladder: Ladder, match: int) -> set[str]:
    with ladder.database.read() as session:
        seats = session.query(models.StoredSeat).filter_by(match_id=match)
        bots = [session.get_one(models.Version, seat.version_id).bot_id for seat in seats]
        return {session.get_one(models.StoredBot, bot).name for bot in bots}


def test_without_a_record_nothing_is_asked(ladder: Ladder) -> None:
    with ladder.database.write() as session:
        session.query(models.StoredMatch).update({models.StoredMatch.record_kept: False})
    try:
        found = compare_bots(ladder, "Mud", "Truffle")
    finally:
        with ladder.database.write() as session:
            session.query(models.StoredMatch).update({models.StoredMatch.record_kept: True})
    assert (found.sources, found.computing) == ((), None)
    assert found.newest > 0
    assert found.differing
