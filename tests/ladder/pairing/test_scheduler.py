from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.pairing.scheduler import DisjointSets, Entrant, next_matches, next_variant, why_none
from tests.rules.players import some

Table = tuple[int, ...]


def entrant(version: int, rating: float = 1500.0, matches: int = 50, owner: int | None = None) -> Entrant:
    return Entrant(version, version, version if owner is None else owner, rating, matches, ())


def field(count: int, apart: float = 30.0, matches: int = 50) -> list[Entrant]:
    """Bots of different owners; version 0 is the best."""
    return [entrant(version, 2000 - apart * version, matches) for version in range(count)]


def planned(
    entrants: list[Entrant], count: int, players: int = 4, partners: bool = False, seed: int = 1
) -> list[Table]:
    return next_matches(entrants, {}, players, partners, Random(seed), count)


def followers(tables: list[Table]) -> Counter[tuple[int, int]]:
    return Counter(pair for table in tables for pair in zip(table, (*table[1:], table[0]), strict=True))


def seats_of(tables: list[Table]) -> Counter[tuple[int, int]]:
    return Counter((version, seat) for table in tables for seat, version in enumerate(table))


ENTRANTS = st.lists(
    st.tuples(st.integers(1, 7), st.floats(500, 2500), st.integers(0, 300)), max_size=14
).map(lambda drawn: [entrant(100 + number, rating, matches, owner) for number, (owner, rating, matches) in
                     enumerate(drawn)])  # fmt: skip


def in_sets(entrants: list[Entrant], count: int, at_once: int = 3) -> list[Table]:
    return next_matches(entrants, {}, 4, False, Random(1), count, DisjointSets(at_once))


def test_where_owners_play_one_match_at_a_time_eight_bots_play_two_matches_at_once() -> None:
    tables = in_sets(field(8), 40)
    assert all({*one, *other} == set(range(8)) for one, other in zip(tables[::2], tables[1::2], strict=True))
    assert len({frozenset(table) for table in tables}) > 20  # not always the same four


def test_no_more_matches_belong_together_than_are_played_at_once() -> None:
    tables = in_sets(field(40), 60, at_once=3)
    triples = list(zip(tables[::3], tables[1::3], tables[2::3], strict=True))
    assert all(len({*one, *two, *three}) == 12 for one, two, three in triples)
    assert any(set(table) & set(before) for before, table in zip(tables[2::3], tables[3::3], strict=False))


def test_too_few_owners_for_a_second_match_play_as_if_nobody_asked() -> None:
    assert in_sets(field(7), 20) == planned(field(7), 20)


def test_a_match_continues_the_set_of_those_that_wait() -> None:
    sets = DisjointSets(2, [{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 4, 5}])
    assert next_matches(field(8), {}, 4, False, Random(1), 1, sets)[0] in itertools.permutations([2, 3, 6, 7])


@some
@given(ENTRANTS, st.integers(2, 6), st.integers(0, 5), st.integers())
def test_a_table_is_full_or_there_is_none_and_a_reason(
    entrants: list[Entrant], players: int, count: int, seed: int
) -> None:
    tables = planned(entrants, count, players, seed=seed)
    owner_of = {one.version: one.owner for one in entrants}
    if why_none(entrants, players, False):
        assert tables == []
        assert len(set(owner_of.values())) < players
    else:
        assert len(tables) == count
        assert all(len({owner_of[version] for version in table}) == players for table in tables)


@some
@given(ENTRANTS, st.integers())
def test_the_same_seed_gives_the_same_matches_in_whatever_order_the_bots_come(
    entrants: list[Entrant], seed: int
) -> None:
    once = planned(entrants, 6, seed=seed)
    assert planned(entrants, 6, seed=seed) == once
    assert planned(entrants[::-1], 6, seed=seed) == once


def test_other_seeds_give_other_matches() -> None:
    assert len({tuple(planned(field(30), 5, seed=seed)) for seed in range(10)}) == 10


def test_a_bot_that_was_handed_out_is_no_longer_the_least_played() -> None:
    tables = planned(field(24, matches=0), 6)
    assert sorted(itertools.chain(*tables[:1])) != sorted(itertools.chain(*tables[1:2]))
    played = Counter(itertools.chain(*planned(field(24, matches=0), 120)))
    assert sum(played.values()) == 480
    assert all(16 <= played[version] <= 24 for version in range(24))


def test_newcomers_come_before_all_others_and_before_the_boundary() -> None:
    entrants = [*field(30), entrant(77, 1100, matches=3), entrant(78, 1900, matches=5)]
    tables = planned(entrants, 20)
    assert all({77, 78} & set(table) for table in tables)
    assert all(77 in table for table in tables[:2])


def test_the_least_played_meets_those_nearest_to_it() -> None:
    entrants = [entrant(version, 3000 - 200 * version, matches=10_000) for version in range(9)]
    entrants[4] = entrant(4, entrants[4].rating, matches=10)
    for seed in range(20):
        (table,) = planned(entrants, 1, 3, seed=seed)
        assert set(table) == {3, 4, 5}


def test_unsure_ratings_meet_farther_away_than_settled_ones() -> None:
    def spread(matches: int) -> float:
        tables = planned(field(60, matches=matches), 200)
        return sum(max(table) - min(table) for table in tables) / len(tables)

    assert spread(0) > 1.5 * spread(2000)


def test_the_boundary_of_the_top_ten_is_played_out_while_it_is_open() -> None:
    close = field(40, apart=10, matches=400)
    decided = [entrant(one.version, one.rating + 200 * (one.version < 10), 400) for one in close]

    def share(entrants: list[Entrant]) -> float:
        tables = [planned(entrants, 1, seed=seed)[0] for seed in range(300)]
        return sum(max(table) - min(table) < 6 and {9, 10} <= set(table) for table in tables) / 300

    assert 0.2 < share(close) < 0.4
    assert share(decided) < 0.1


def test_the_boundary_closes_when_its_bots_have_played_enough() -> None:
    played = Counter(itertools.chain(*planned(field(40, apart=10, matches=100), 4000)))
    assert max(played.values()) < 3 * min(played.values())


def test_a_newcomer_that_is_known_by_now_does_not_sit_in_every_match_until_it_has_caught_up() -> None:
    entrants = [*field(40, matches=5000), entrant(99, 1500, matches=20)]
    share = sum(99 in table for table in planned(entrants, 400)) / 400
    assert 0.1 < share < 0.4


def test_ten_bots_have_no_boundary_and_eleven_have_one() -> None:
    assert len(planned(field(10), 50)) == len(planned(field(11), 50)) == 50


def test_one_owner_never_sits_twice_at_a_table_however_near_its_bots_are() -> None:
    entrants = [entrant(version, 1500, owner=version // 5) for version in range(20)]
    for table in planned(entrants, 100):
        assert len({version // 5 for version in table}) == 4


def test_seats_and_neighbours_stay_even() -> None:
    """Twelve bots, 600 matches, one call each as the runner makes them; the same tables in random order beside it."""
    rng = Random(5)
    tables: list[Table] = []
    for _ in range(600):
        seats, after = seats_of(tables), followers(tables)
        entrants = [
            replace(one, matches=sum(counts), seats=counts)
            for one in field(12, apart=5)
            for counts in [tuple(seats[one.version, seat] for seat in range(4))]
        ]
        tables += next_matches(entrants, after, 4, False, rng, 1)
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
    seats = seats_of(planned(field(12, apart=5, matches=0), 300))
    for version in range(12):
        held = [seats[version, seat] for seat in range(4)]
        assert max(held) - min(held) <= 6


def test_partners_are_one_bot_in_both_chairs_and_take_turns_in_going_first() -> None:
    tables = planned(field(2), 40, partners=True)
    assert all(table[:2] == table[2:] and table[0] != table[1] for table in tables)
    assert Counter(table[0] for table in tables) == {0: 20, 1: 20}


def test_five_seats_and_eight_seats_are_filled() -> None:
    assert [len(set(table)) for players in (5, 8) for table in planned(field(12), 3, players)] == [5, 5, 5, 8, 8, 8]


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
    assert len(planned(entrants, 3, partners=partners)) == (0 if sentence else 3)


def test_the_variant_with_the_fewest_matches_for_each_active_bot_plays_next() -> None:
    assert next_variant({"gongzhu": 10, "hearts": 4}, {"gongzhu": 50, "hearts": 24}) == "gongzhu"
    assert next_variant({"gongzhu": 10, "hearts": 4}, {"gongzhu": 50, "hearts": 16}) == "hearts"
    assert next_variant({"hearts": 4, "gongzhu": 10}, {}) == "gongzhu"
    assert next_variant({"hearts": 4, "gongzhu": 0}, {"hearts": 1000}) == "hearts"
    assert next_variant({"hearts": 0}, {}) is None
    assert next_variant({}, {}) is None
