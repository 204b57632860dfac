"""A bot whose matches take much machine time plays fewer of them."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.pairing.information import Information
from ladder.pairing.machine_costs import MAX_TIMES, MIN_SHARE, RECENT, TOLERATED, MatchCost, shares
from ladder.pairing.scheduler import MAX_NEW, PairingAims, wanted_by_newcomers
from ladder.ratings.batch import pair_weight
from tests.ladder.pairing.fields import Table, entrant, field, knowledge, planned
from tests.rules.players import some

NO_BOUNDARY = PairingAims(boundary=0, newcomer_error=150)


def matches(bots: int, slow: dict[int, float], times: int = 1, sides: int = 4) -> list[MatchCost]:
    """All tables of these bots, each *times*; one takes as many seconds as its slowest bot, who else takes 10 s."""
    tables = itertools.combinations(range(bots), sides)
    return [
        MatchCost(frozenset(table), 4, max(slow.get(bot, 10.0) for bot in table))
        for table in tables
        for _ in range(times)
    ]


@pytest.mark.parametrize(
    ("bots", "slow"),
    [(8, {7: 100.0}), (12, {11: 100.0}), (12, {0: 100.0, 5: 100.0}), (6, {3: 100.0})],
)
def test_a_costly_bot_is_found_and_those_who_met_it_are_not_taken_for_one(bots: int, slow: dict[int, float]) -> None:
    found = shares(matches(bots, slow))
    assert set(found) == set(range(bots))
    assert all(found[bot] < 0.35 for bot in slow)
    assert all(share > 0.85 for bot, share in found.items() if bot not in slow)


@pytest.mark.parametrize(("cost", "less"), [(TOLERATED - 0.1, False), (TOLERATED + 0.6, True)])
def test_up_to_twice_the_usual_time_costs_nothing(cost: float, less: bool) -> None:
    assert (shares(matches(9, {4: 10.0 * cost}))[4] < 1.0) is less


def test_ten_times_the_time_give_a_fifth_of_the_matches() -> None:
    assert shares(matches(12, {3: 100.0}))[3] == pytest.approx(TOLERATED / 10, rel=0.1)


@some
@given(
    st.lists(
        st.tuples(st.sets(st.integers(1, 9), min_size=2, max_size=5), st.sampled_from([1, 4]), st.floats(0, 1e6)),
        max_size=30,
    ),
    st.randoms(use_true_random=False),
)
def test_no_share_is_nothing_and_their_order_does_not_matter(
    drawn: list[tuple[set[int], int, float]], rng: Random
) -> None:
    costs = [MatchCost(frozenset(bots), boards, seconds) for bots, boards, seconds in drawn]
    found = shares(costs)
    assert set(found) == {bot for bots, _, _ in drawn for bot in bots}
    assert all(MIN_SHARE <= share <= 1.0 for share in found.values())
    rng.shuffle(costs)
    assert shares(costs) == pytest.approx(found, abs=1e-4)


def test_where_all_play_every_match_all_have_the_same_share() -> None:
    found = shares([MatchCost(frozenset(range(4)), 4, seconds) for seconds in (1.0, 10.0, 100.0)])
    assert len(set(found.values())) == 1


def test_one_match_on_a_machine_that_stood_still_makes_no_bot_costly() -> None:
    hung = MatchCost(frozenset(range(4)), 4, 1e5)
    known = [cost for cost in matches(12, {}) if cost.versions != hung.versions][:: 495 // (12 * RECENT // 4)]
    assert min(shares([*known, hung]).values()) > 0.5
    assert MAX_TIMES > 2 * TOLERATED


def test_long_matches_are_compared_with_long_ones() -> None:
    short = [MatchCost(cost.versions, 1, 3.0) for cost in matches(8, {})]
    assert set(shares([*short, *(replace(cost, boards=16, seconds=40.0) for cost in short)]).values()) == {1.0}


def counted(tables: list[Table]) -> Counter[int]:
    return Counter(itertools.chain(*tables))


@pytest.mark.parametrize("share", [0.5, 0.2, MIN_SHARE])
def test_a_costly_bot_plays_correspondingly_fewer_matches_but_some(share: float) -> None:
    rng = Random(3)
    bots = [entrant(version, 100) for version in range(20)]
    bots[7] = replace(bots[7], matches=round(100 * share), share=share)
    ratings = {version: rng.gauss(1500, 100) for version in range(20)}
    played = counted(planned(bots, 1000, known=knowledge(bots, ratings), aims=NO_BOUNDARY))
    mean = sum(played.values()) / 20
    assert 0.3 * share * mean < played[7] < 2 * share * mean


def test_a_costly_newcomer_comes_first_in_fewer_matches() -> None:
    """One that nothing is known of sits in all matches, until it is known or has had enough of them for its share."""

    def of_it(share: float) -> list[bool]:
        new = replace(entrant(77, matches=0), share=share)
        versions = [*range(30), 77]
        known = Information(versions, np.full(31, 1500.0), np.diag([40.0**2] * 30 + [400.0**2]), pair_weight(4))
        aims = PairingAims(boundary=0, newcomer_error=60)
        return [77 in table for table in planned([*field(30), new], 60, known=known, aims=aims)]

    assert all(of_it(1.0)[:30])
    few = of_it(0.2)
    assert all(few[: MAX_NEW // 5])
    assert sum(few) < 30


def test_of_two_newcomers_the_costly_one_waits() -> None:
    bots = [*field(10), entrant(77, matches=10), replace(entrant(78, matches=3), share=0.1)]
    for seed in range(10):
        (table,) = planned(bots, 1, 2, seed=seed, known=knowledge(bots, {77: 1300.0, 78: 9000.0}, players=2))
        assert 77 in table


def test_a_costly_newcomer_wants_fewer_matches() -> None:
    bots = field(24, matches=0)
    known, aims = Information.of(None, range(24), pair_weight(4)), PairingAims(newcomer_error=60)
    usual = wanted_by_newcomers(bots, known, aims, 4)
    assert wanted_by_newcomers([replace(each, share=0.5) for each in bots], known, aims, 4) == pytest.approx(usual / 2)


def test_where_no_others_are_there_costly_bots_play() -> None:
    bots = [replace(each, share=MIN_SHARE) for each in field(4)]
    assert len(planned(bots, 5)) == 5
