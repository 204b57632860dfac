"""Common matches of two versions, in both databases."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations, permutations
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from ladder.ratings.means import Mean
from ladder.store.commands.results import PAIR_SUMS, add_pair_result, record_summary
from ladder.store.queries.matches import common_matches, common_variants, newest_ordinals, pair_sums
from pigpen.rules import PRESETS
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


@pytest.mark.parametrize("variant", ["hearts", "gongzhu-partners"])
def test_what_is_kept_of_pairs_is_what_their_matches_give_after_any_history(database: Database, variant: str) -> None:
    """Matches are recorded in another order than they were queued in; some are void first, some have no result yet."""
    rng = Random(variant)
    sides = [(0, 2), (1, 3)] if PRESETS[variant].partners else [(0,), (1,), (2,), (3,)]
    together: dict[tuple[int, int], list[int]] = defaultdict(list)
    with database.write() as session:
        bots = [ladders.enter(session, f"Pig{number}", variant) for number in range(7)]
        waiting = []
        for number in range(30):
            seated = rng.sample(bots, 2) * 2 if number % 3 == 0 and len(sides) == 2 else rng.sample(bots, 4)
            waiting.append((ladders.queue(session, seated, variant, str(number % 4)), seated, str(number % 4)))
        rng.shuffle(waiting)
        for match, seated, seed in waiting[:-4]:
            attempt = ladders.lease(session, match)
            if rng.random() < 0.3:  # it was void, and is played again; what comes of it late counts no more
                again = ladders.lease(session, match)
                assert record_summary(session, match, attempt, shown.summary_of(variant, seed), ladders.NOW) is None
                attempt = again
            assert record_summary(session, match, attempt, shown.summary_of(variant, seed), ladders.NOW)
            met = {
                frozenset((seated[own], seated[other]))
                for side, opposite in permutations(sides, 2) for own in side for other in opposite
            }  # fmt: skip
            for one, two in map(sorted, met):
                together[one, two].insert(0, match)
        for one, two in combinations(bots, 2):
            for pair in ((one, two), (two, one)):
                assert [each.id for each in common_matches(session, variant, *pair, 40)] == together[one, two]
                assert [each.id for each in common_matches(session, variant, *pair, 2)] == together[one, two][:2]
                assert pair_sums(session, variant, *pair).matches == len(together[one, two])
    assert max(map(len, together.values())) > 2


@pytest.mark.parametrize("last", [120, 99_999_999_999])
def test_forty_matches_of_each_length_are_kept_however_large_their_numbers(database: Database, last: int) -> None:
    with database.write() as session:
        one, two = (ladders.enter(session, name) for name in ("Trotter", "Snout"))
        connection = session.connection()
        for ordinal in range(last - 99, last + 1):
            of_match = {"variant": "hearts", "a": one, "b": two, "boards": ordinal % 2, "newest": f"{ordinal},"}
            row = {**of_match, **dict.fromkeys(PAIR_SUMS, 0)}
            connection.execute(add_pair_result(connection.dialect.name), row)
        kept = newest_ordinals(session, "hearts", two, one)
        assert kept[:80] == [*range(last, last - 80, -1)]
        assert kept == sorted(kept, reverse=True)
        assert {*kept} <= {*range(last - 99, last + 1)}


@pytest.mark.sqlite
def test_the_work_does_not_grow_with_the_matches_that_either_bot_has_without_the_other(database: Database) -> None:
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    def looked() -> int:
        """The instructions of SQLite that it takes."""
        nonlocal steps
        steps = 0
        driver.set_progress_handler(step, 1)
        (match,) = common_matches(session, "hearts", versions[0], versions[1], 40)
        driver.set_progress_handler(None, 1)
        assert {seat.version_id for seat in match.seats} == {*versions[:4]}
        return steps

    with database.write() as session:
        versions = [ladders.enter(session, f"Pig{number}") for number in range(8)]
        shown.play(session, versions[:4], "hearts", 0)
        driver: Any = session.connection().connection.driver_connection
        before = looked()
        for number in range(20):
            shown.play(session, [versions[number % 2], *versions[4:7]], "hearts", number)
        assert 0 < before <= looked() < before + 20
