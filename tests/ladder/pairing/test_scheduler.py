"""Scheduling of matches: who plays whom, in which seats and variants, and how many at once."""

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
from ladder.pairing.scheduler import (
    LAGGING,
    MAX_NEW,
    DisjointSets,
    Entrant,
    PairingAims,
    Seating,
    next_matches,
    next_variant,
    wanted_by_newcomers,
    why_none,
)
from ladder.ratings.batch import pair_weight
from tests.ladder.pairing.fields import Table, entrant, field, followers, knowledge, planned, seats_of
from tests.rules.players import some


def in_sets(count: int, wanted: int, at_once: int = 3) -> list[Table]:
    return planned(field(count), wanted, sets=DisjointSets(at_once))


def test_where_owners_play_one_match_at_a_time_eight_bots_play_two_matches_at_once() -> None:
    tables = in_sets(8, 40)
    assert all({*one, *other} == set(range(8)) for one, other in zip(tables[::2], tables[1::2], strict=True))
    assert len({frozenset(table) for table in tables}) > 4  # not always the same four


def test_no_more_matches_belong_together_than_are_played_at_once() -> None:
    tables = in_sets(40, 60, at_once=3)
    triples = list(zip(tables[::3], tables[1::3], tables[2::3], strict=True))
    assert all(len({*one, *two, *three}) == 12 for one, two, three in triples)
    assert any(set(table) & set(before) for before, table in zip(tables[2::3], tables[3::3], strict=False))


def test_too_few_owners_for_a_second_match_play_as_if_nobody_asked() -> None:
    assert in_sets(7, 20) == planned(field(7), 20)


def test_a_match_continues_the_set_of_those_that_wait() -> None:
    sets, bots = DisjointSets(2, [{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 4, 5}]), field(8)
    tables = next_matches(bots, knowledge(bots), {}, 4, False, Random(1), 1, sets)
    assert tables[0] in itertools.permutations([2, 3, 6, 7])


NO_BOUNDARY = PairingAims(boundary=0, newcomer_error=150)
BY_INFORMATION = PairingAims(boundary=0, newcomer_error=150, chance=0.0)
"""No table is drawn by chance."""

ENTRANTS = st.lists(
    st.tuples(st.integers(1, 7), st.floats(500, 2500), st.integers(0, 300)), max_size=14
).map(lambda drawn: [(entrant(100 + number, matches, owner), rating) for number, (owner, rating, matches) in
                     enumerate(drawn)])  # fmt: skip


def planned_for(drawn: list[tuple[Entrant, float]], count: int, players: int, seed: int) -> list[Table]:
    entrants = [one for one, _ in drawn]
    known = knowledge(entrants, {one.version: rating for one, rating in drawn}, players=players)
    return planned(entrants, count, players, seed=seed, known=known)


@some
@given(ENTRANTS, st.integers(2, 6), st.integers(0, 5), st.integers())
def test_a_table_is_full_or_there_is_none_and_a_reason(
    drawn: list[tuple[Entrant, float]], players: int, count: int, seed: int
) -> None:
    entrants = [one for one, _ in drawn]
    owner_of = {one.version: one.owner for one in entrants}
    if why_none(entrants, players, False):
        assert len(set(owner_of.values())) < players
        assert not entrants or planned_for(drawn, count, players, seed) == []
    else:
        tables = planned_for(drawn, count, players, seed)
        assert len(tables) == count
        assert all(len({owner_of[version] for version in table}) == players for table in tables)


@some
@given(ENTRANTS.filter(len), st.integers())
def test_the_same_seed_gives_the_same_matches_in_whatever_order_the_bots_come(
    drawn: list[tuple[Entrant, float]], seed: int
) -> None:
    once = planned_for(drawn, 6, 4, seed)
    assert planned_for(drawn, 6, 4, seed) == once
    assert planned_for(drawn[::-1], 6, 4, seed) == once


def test_other_seeds_give_other_matches() -> None:
    assert len({tuple(planned(field(30), 5, seed=seed)) for seed in range(10)}) == 10


def test_bots_that_nothing_is_known_of_play_in_turn() -> None:
    known = Information.of(None, range(24), pair_weight(4))
    tables = planned(field(24, matches=0), 120, known=known, aims=BY_INFORMATION)
    for turn in range(0, 120, 6):
        played = Counter(itertools.chain(*tables[: turn + 6]))
        assert max(played.values()) - min(played[version] for version in range(24)) <= 3
    assert sorted(itertools.chain(*tables[:6])) == list(range(24))


def test_newcomers_come_before_all_others_until_their_error_is_small_enough() -> None:
    entrants = [*field(30), entrant(77, matches=3), entrant(78, matches=5)]
    known = knowledge(entrants, {77: 1300.0, 78: 1900.0})
    tables = planned(entrants, 40, known=known)
    new = [bool({77, 78} & set(table)) for table in tables]
    assert all(new[:6])
    assert 77 in tables[0]
    assert not all(new)
    at = {version: known.versions.index(version) for version in (77, 78)}
    assert all(known.errors[place] <= 150 for place in at.values())


def test_how_well_a_newcomer_is_to_be_known_is_the_organisers_choice() -> None:
    entrants = [*field(30, matches=60), entrant(77, matches=35)]

    def of_it(error: float) -> int:
        aims = PairingAims(boundary=0, newcomer_error=error, chance=0.0)
        return sum(77 in table for table in planned(entrants, 10, known=knowledge(entrants, {77: 1500.0}), aims=aims))

    assert of_it(80.0) == 10 > of_it(180.0)


def test_a_bot_that_stays_unsure_is_no_newcomer_for_ever() -> None:
    """One that loses to all: the matches teach nothing about how far below it is."""
    entrants = [*field(30), entrant(99, matches=5)]
    versions = sorted(one.version for one in entrants)
    ratings = np.array([*(2500.0 - version for version in range(30)), 500.0])
    known = Information(versions, ratings, np.diag([40.0**2] * 30 + [200.0**2]), pair_weight(4))
    tables = planned(entrants, 100, known=known, aims=PairingAims(boundary=0, newcomer_error=60))
    assert all(99 in table for table in tables[: MAX_NEW - 5])
    assert known.errors[-1] > 60
    assert not all(99 in table for table in tables[MAX_NEW - 5 :])


def test_a_bot_far_below_all_others_meets_those_nearest_to_it() -> None:
    entrants = [entrant(version, 10_000) for version in range(9)]
    entrants[4] = entrant(4, matches=10)
    ratings = {version: -100_000.0 * version for version in range(9)}
    for seed in range(20):
        (table,) = planned(entrants, 1, 3, seed=seed, known=knowledge(entrants, ratings))
        assert set(table) == {3, 4, 5}


def test_where_nothing_is_open_any_more_the_least_played_play() -> None:
    entrants = [entrant(version, 1000 - version) for version in range(8)]
    ratings = {version: -100_000.0 * version for version in range(8)}
    tables = planned(entrants, 4, partners=True, known=knowledge(entrants, ratings, players=2), aims=BY_INFORMATION)
    assert all({7, 6, 5} & set(table) for table in tables[:2])
    assert set(tables[0]) == {6, 7}


def test_pairs_whose_order_is_open_play_and_those_that_are_decided_do_not() -> None:
    """Twelve bots in pairs: those of three are close, those of the others far apart."""
    entrants = field(12, matches=400)
    ratings = {2 * pair + one: 3000.0 - 400 * pair - one * (5 if pair < 3 else 150)
               for pair in range(6) for one in (0, 1)}  # fmt: skip
    known = knowledge(entrants, ratings, players=2)
    tables = planned(entrants, 90, partners=True, known=known, aims=BY_INFORMATION)
    met = Counter(frozenset(table) for table in tables)
    assert set(met) == {frozenset((0, 1)), frozenset((2, 3)), frozenset((4, 5))}
    assert max(met.values()) < 3 * min(met.values())  # one that is planned gains less by the next one


@pytest.mark.parametrize("boundary", [10, 4, 30])
def test_half_of_the_informed_matches_are_about_the_boundary_that_the_organiser_chose(boundary: int) -> None:
    def share(aims: PairingAims) -> float:
        tables = [table for seed in range(30) for table in planned(field(40, matches=400), 5, seed=seed, aims=aims)]
        near = range(boundary - 3, boundary + 3)
        return sum(sum(version in near for version in table) >= 3 for table in tables) / len(tables)

    assert share(PairingAims(boundary, 150, 0.0)) > share(BY_INFORMATION) + 0.35


@pytest.mark.parametrize("bots", [4, 10, 11])
def test_few_bots_have_no_boundary(bots: int) -> None:
    same = planned(field(bots), 50) == planned(field(bots), 50, aims=NO_BOUNDARY)
    assert len(planned(field(bots), 50)) == 50
    assert same is (bots <= 10)


def test_every_bot_has_half_of_the_mean_number_of_matches() -> None:
    """The first of forty is far above all others, and the last far below: there is nothing to learn about them."""
    ratings = {0: 9000.0, 39: -5000.0}
    bots = field(40, matches=100)
    aims = PairingAims(newcomer_error=150, chance=0.0)
    played = Counter(itertools.chain(*planned(bots, 1200, known=knowledge(bots, ratings), aims=aims)))
    total = {version: 100 + played[version] for version in range(40)}
    mean = sum(total.values()) / 40
    assert min(total.values()) == pytest.approx(LAGGING * mean, rel=0.02)
    assert total[0] < 0.6 * mean
    assert max(total.values()) < 4 * sorted(total.values())[20]


def test_a_late_entrant_plays_much_at_first_and_less_as_it_becomes_known() -> None:
    rng = Random(1)
    entrants = [*field(40, matches=5000), entrant(99, matches=70)]
    ratings = {version: rng.gauss(1500, 200) for version in range(40)} | {99: 1500.0}
    sits = [99 in table for table in planned(entrants, 600, known=knowledge(entrants, ratings))]
    assert sum(sits[:100]) > 40
    assert 20 < sum(sits[-100:]) < 75


def with_copies(programs: list[int], matches: int = 100) -> list[Entrant]:
    """Bots of different owners, by the number of the program of each."""
    return [replace(entrant(version, matches), program=f"sha256:{each}") for version, each in enumerate(programs)]


@pytest.mark.parametrize("chance", [0.0, 0.5, 1.0])
def test_copies_of_one_program_meet_only_where_a_table_cannot_be_filled_without(chance: float) -> None:
    """A ladder of beginners: five, four and four copies of three programs, and then one more program."""
    beginners, aims = [0] * 5 + [1] * 4 + [2] * 4, PairingAims(newcomer_error=150, chance=chance)
    for programs, least in ((beginners, 3), ([*beginners, 3], 4)):
        bots = with_copies(programs)
        known = knowledge(bots, dict.fromkeys(range(len(bots)), 1500.0))
        for table in planned(bots, 200, known=known, aims=aims):
            assert len({programs[version] for version in table}) == least


def test_copies_together_play_as_much_as_one_other_bot_but_each_a_quarter_of_it_at_least() -> None:
    programs = [0] * 3 + [1] * 8 + list(range(2, 32))
    bots = with_copies(programs, matches=0)
    known = knowledge(bots, dict.fromkeys(range(len(bots)), 1500.0), error=20.0)
    played = Counter(itertools.chain(*planned(bots, 2000, known=known, aims=PairingAims(0, 1000.0))))
    usual = sum(played[version] for version in range(11, len(bots))) / 30
    assert sum(played[version] for version in range(3)) == pytest.approx(usual, rel=0.25)
    assert sum(played[version] for version in range(3, 11)) == pytest.approx(2 * usual, rel=0.25)


def test_seven_of_ten_tables_are_drawn_by_chance_so_that_decided_pairs_meet_too() -> None:
    """Bots far apart: by information alone each of twenty meets its neighbours."""
    bots = field(20, matches=400)
    known = knowledge(bots, {version: 3000.0 - 300 * version for version in range(20)})
    far = [max(table) - min(table) > 8 for table in planned(bots, 400, known=known, aims=NO_BOUNDARY)]
    assert 0.55 < sum(far) / len(far) < 0.75
    by_information = planned(bots, 400, known=known, aims=BY_INFORMATION)
    assert sum(max(table) - min(table) > 8 for table in by_information) < 40


@pytest.mark.parametrize("seed", range(3))
def test_no_bot_waits_long_and_none_has_few_matches_however_little_there_is_to_learn_about_it(seed: int) -> None:
    """The first and the last of forty are decided; ten matches are what all bots take who play in turn."""
    bots = field(40, matches=0)
    known = knowledge(field(40), {0: 9000.0, 39: -5000.0})
    tables = planned(bots, 3000, known=known, seed=seed)
    for version in range(40):
        sits = [0, *(number for number, table in enumerate(tables, 1) if version in table), 3001]
        assert max(later - before for before, later in itertools.pairwise(sits)) <= 20 * 10
        assert len(sits) - 2 >= LAGGING * 3000 * 4 / 40


def test_one_owner_never_sits_twice_at_a_table_however_near_its_bots_are() -> None:
    entrants = [entrant(version, owner=version // 5) for version in range(20)]
    for table in planned(entrants, 100):
        assert len({version // 5 for version in table}) == 4


def test_pairs_of_one_bot_in_both_chairs_are_of_two_owners() -> None:
    entrants = [replace(one, owner=one.version // 3) for one in field(6)]
    assert all({version // 3 for version in table} == {0, 1} for table in planned(entrants, 30, partners=True))


def test_five_seats_and_eight_seats_are_filled() -> None:
    assert [len(set(table)) for players in (5, 8) for table in planned(field(12), 3, players)] == [5, 5, 5, 8, 8, 8]


def test_newcomers_want_about_as_many_matches_as_they_need() -> None:
    bots, aims = field(24, matches=0), PairingAims(newcomer_error=120)
    known = Information.of(None, range(24), pair_weight(4))
    wanted = wanted_by_newcomers(bots, known, aims, 4)
    assert 80 < wanted < 110
    planned(bots, wanted, known=known, aims=aims)
    assert np.mean(known.errors) == pytest.approx(120, rel=0.1)
    assert wanted_by_newcomers(field(24, matches=MAX_NEW), Information.of(None, range(24), 0.6), aims, 4) == 0


@pytest.mark.parametrize(
    ("owners", "partners", "sentence"),
    [
        (
            [],
            False,
            "A match needs bots of 4 different owners, and none has one that may play: it waits for 4 more owners.",
        ),
        (
            [1, 1, 1, 1],
            False,
            "A match needs bots of 4 different owners, and only 1 has one that may play: it waits for 3 more owners.",
        ),
        (
            [1, 2, 3, 3],
            False,
            "A match needs bots of 4 different owners, and only 3 have one that may play: it waits for 1 more owner.",
        ),
        (
            [1, 1],
            True,
            "A match needs bots of 2 different owners, and only 1 has one that may play: it waits for 1 more owner.",
        ),
        ([1, 2], True, None),
        ([1, 2, 3, 4], False, None),
    ],
)
def test_too_few_owners_are_told_in_a_sentence(owners: list[int], partners: bool, sentence: str | None) -> None:
    entrants = [entrant(version, owner=owner) for version, owner in enumerate(owners)]
    assert why_none(entrants, 4, partners) == sentence
    assert sentence or len(planned(entrants, 3, partners=partners)) == 3


def test_the_variant_with_the_fewest_matches_for_each_active_bot_plays_next() -> None:
    assert next_variant({"gongzhu": 10, "hearts": 4}, {"gongzhu": 50, "hearts": 24}) == "gongzhu"
    assert next_variant({"gongzhu": 10, "hearts": 4}, {"gongzhu": 50, "hearts": 16}) == "hearts"
    assert next_variant({"hearts": 4, "gongzhu": 10}, {}) == "gongzhu"
    assert next_variant({"hearts": 4, "gongzhu": 0}, {"hearts": 1000}) == "hearts"
    assert next_variant({"hearts": 0}, {}) is None
    assert next_variant({}, {}) is None


def test_seats_and_neighbours_stay_even() -> None:
    """Twelve bots, 600 matches, each seated by itself as the runner does; the same tables in random order beside it."""
    rng = Random(5)
    tables: list[Table] = []
    for _ in range(600):
        seats, after = seats_of(tables), followers(tables)
        counts = {version: tuple(seats[version, seat] for seat in range(4)) for version in range(12)}
        tables.append(Seating(counts, after, rng).seat(rng.sample(range(12), 4), 4))
    mixed = [tuple(rng.sample(table, 4)) for table in tables]
    seats, after = seats_of(tables), followers(tables)
    for version in range(12):
        held = [seats[version, seat] for seat in range(4)]
        assert max(held) - min(held) <= 6
    for one, other in itertools.combinations(range(12), 2):
        assert abs(after[one, other] - after[other, one]) <= 6
    assert _unevenness(seats, 4) < 0.1 * _unevenness(seats_of(mixed), 4)
    assert _turns(after) < 0.2 * _turns(followers(mixed))


def _unevenness(seats: Counter[tuple[int, int]], players: int) -> float:
    """Sum of squares of how far the seats of each bot are from their mean."""
    versions = {version for version, _ in seats}
    means = {version: sum(seats[version, seat] for seat in range(players)) / players for version in versions}
    return sum((seats[version, seat] - means[version]) ** 2 for version in versions for seat in range(players))


def _turns(after: Counter[tuple[int, int]]) -> int:
    """Sum of squares of how much more often one bot sat after the other than before it."""
    return sum((after[a, b] - after[b, a]) ** 2 for a, b in itertools.combinations({pair[0] for pair in after}, 2))


def test_matches_of_one_call_are_even_among_themselves() -> None:
    seats = seats_of(planned(field(12, matches=0), 300))
    for version in range(12):
        held = [seats[version, seat] for seat in range(4)]
        assert max(held) - min(held) <= 6


def test_partners_are_one_bot_in_both_chairs_and_take_turns_in_going_first() -> None:
    tables = planned(field(2), 40, partners=True)
    assert all(table[:2] == table[2:] and table[0] != table[1] for table in tables)
    assert Counter(table[0] for table in tables) == {0: 20, 1: 20}
