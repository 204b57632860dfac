"""Common matches of two versions, in both databases."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from ladder.ratings.means import Mean
from ladder.store.queries.common_matches import common_matches, common_variants, pair_sums
from tests.ladder import ladders, shown
from tests.ladder.databases import later_backend as backend

if TYPE_CHECKING:
    from ladder.store.database import Database

__all__ = ["backend"]


def test_sums_agree_with_the_boards_of_the_matches_in_which_both_sat(database: Database) -> None:
    with database.write() as session:
        versions = [*shown.a_ladder(session, matches=12).values()]
        for one, two in permutations(versions[:3], 2):
            matches = common_matches(session, "gongzhu", one, two, 100)
            sums = pair_sums(session, "gongzhu", one, two)
            by_version = [{seat.version_id: seat for seat in match.seats} for match in matches]
            assert all({one, two} <= set(seats) for seats in by_version)
            differences = [
                own - other
                for seats in by_version
                for own, other in zip(seats[one].board_points or (), seats[two].board_points or (), strict=True)
            ]
            assert (sums.matches, sums.boards) == (len(matches), len(differences))
            assert Mean.of_sums(sums.boards, sums.points, sums.squares) == pytest.approx(Mean.of(differences))
            assert sums.board_score == sum(1 if each > 0 else 0.5 if each == 0 else 0 for each in differences)
            turned = pair_sums(session, "gongzhu", two, one)
            assert turned.score + sums.score == sums.matches


def test_the_newest_come_first_and_no_more_than_wanted(database: Database) -> None:
    with database.write() as session:
        one, two, *_ = shown.a_ladder(session, matches=12).values()
        found = [match.id for match in common_matches(session, "gongzhu", one, two, 100)]
        assert found == sorted(found, reverse=True)
        assert [match.id for match in common_matches(session, "gongzhu", two, one, 2)] == found[:2]


def test_variants_are_those_in_which_they_have_met_and_matches_that_wait_are_none(database: Database) -> None:
    with database.write() as session:
        one, two, *others = shown.a_ladder(session, matches=6).values()
        stranger = ladders.enter(session, "Stranger", "gongzhu")
        ladders.queue(session, [stranger, one, *others[:2]], "gongzhu")
        assert common_variants(session, one, two) == ["gongzhu"]
        assert common_variants(session, one, stranger) == []
        assert common_matches(session, "gongzhu", one, stranger, 10) == []
        assert pair_sums(session, "gongzhu", one, stranger) == (0, 0.0, 0, 0.0, 0.0, 0.0)
