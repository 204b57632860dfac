from __future__ import annotations

import itertools
from random import Random

from ladder.pairing.scheduler import DisjointSets, next_matches
from tests.ladder.pairing.fields import Table, field, knowledge, planned


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
