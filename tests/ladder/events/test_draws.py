"""Draws: everyone plays once a round, those of one owner are apart, no rematch that can be avoided."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, permutations
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladder.events.draws import Draw, draw_design, draw_order, draw_swiss
from ladder.events.entrants import Cost, Lots, filled
from ladder.events.partition import cheapest, pairs_bound
from ladder.events.table_costs import by_swaps, pair_costs

if TYPE_CHECKING:
    from ladder.events.table_costs import PairCosts

LOTS = Lots(bytes(32))
Table = tuple[int, ...]


def is_complete(draw: Draw, numbers: list[int], sides: int) -> bool:
    """True if all play once, at full tables, with as few stand-ins as fill them."""
    seated = [one for table in draw.tables for one in table]
    return sorted(seated) == sorted(filled(numbers, sides)) and {len(table) for table in draw.tables} == {sides}


def owners_meeting(draw: Draw, owner: dict[int, str]) -> int:
    return sum(owner[a] == owner[b] for table in draw.tables for a, b in combinations([x for x in table if x > 0], 2))


def rematches(rounds: list[tuple[Table, ...]]) -> int:
    pairs = [pair for tables in rounds for table in tables for pair in combinations(sorted(table), 2)]
    return len(pairs) - len(set(pairs))


def distinct(numbers: list[int]) -> dict[int, str]:
    return {number: f"owner{number}" for number in numbers}


def all_partitions(items: list[int], sides: int) -> list[list[list[int]]]:
    """Every set of tables, counted out: the independent solver of the tests."""
    if not items:
        return [[]]
    first, *others = items
    found = []
    for partners in combinations(others, sides - 1):
        left = [one for one in others if one not in partners]
        found += [[[first, *partners], *rest] for rest in all_partitions(left, sides)]
    return found


def cheapest_of_all(cost: PairCosts, sides: int) -> Cost:
    """The cost of the cheapest tables of all there are, from the cheapest of every smaller set of bots."""
    count = len(cost.numbers)
    table = {each: cost.of([each]) for each in combinations(range(count), sides)}
    best = {0: Cost(0, 0, 0)}
    for _ in range(count // sides):
        more: dict[int, Cost] = {}
        for there, so_far in best.items():
            first, *others = (one for one in range(count) if not there >> one & 1)
            for partners in combinations(others, sides - 1):
                after = there | sum(1 << one for one in (first, *partners))
                found = Cost(*map(sum, zip(so_far, table[first, *partners], strict=True)))
                if after not in more or found < more[after]:
                    more[after] = found
        best = more
    (found,) = best.values()
    return found


def can_avoid_all(numbers: list[int], sides: int, apart: set[tuple[int, int]]) -> bool:
    """True if there are tables at which no two of *apart* meet: a search through all, one bot after the other."""
    if not numbers:
        return True
    first, *others = numbers
    return any(
        can_avoid_all([one for one in others if one not in partners], sides, apart)
        for partners in combinations([one for one in others if (first, one) not in apart], sides - 1)
        if not apart.intersection(combinations(partners, 2))
    )


@settings(max_examples=25, deadline=None)
@given(st.integers(4, 200), st.sampled_from([2, 4, 5]), st.integers(1, 4), st.integers(0, 2**32))
def test_everyone_plays_once_and_owners_are_apart_where_they_can_be(
    count: int, sides: int, each: int, seed: int
) -> None:
    numbers = list(range(1, count + 1))
    owner = {number: f"owner{number // each}" for number in numbers}
    Random(seed).shuffle(numbers)
    draw = draw_order(numbers, sides, owner, [], LOTS, seed)
    assert is_complete(draw, numbers, sides)
    if each < len(draw.tables):
        assert owners_meeting(draw, owner) == 0
    assert draw == draw_order(numbers, sides, owner, [], LOTS, seed)


@settings(max_examples=5, deadline=None)
@given(st.integers(5, 24), st.integers(1, 3), st.randoms(use_true_random=False))
def test_a_swiss_is_complete_in_every_round_and_never_costs_less_than_its_bound(
    count: int, each: int, rng: Random
) -> None:
    numbers = list(range(1, count + 1))
    owner = {number: f"owner{number // each}" for number in numbers}
    score, rounds = dict.fromkeys(numbers, 0), list[tuple[Table, ...]]()
    for number in range(2):
        order = sorted(numbers, key=lambda one: -score[one])
        draw = draw_swiss(order, 4, owner, rounds, score.__getitem__, LOTS, number)
        assert is_complete(draw, numbers, 4)
        assert draw.bound <= draw.cost
        assert (draw.cost == draw.bound) == (draw.method == "optimum")
        if each < len(draw.tables):
            assert owners_meeting(draw, owner) == 0
        for table in draw.tables:
            for place, one in enumerate(rng.sample([x for x in table if x > 0], len([x for x in table if x > 0]))):
                score[one] += 2 * place
        rounds.append(draw.tables)
        if rng.random() < 0.3 and len(numbers) > 5:
            numbers.remove(rng.choice(numbers))


@pytest.mark.parametrize("sides", [2, 4])
@pytest.mark.parametrize("seed", range(6))
def test_the_tables_of_eight_cost_as_little_as_any(sides: int, seed: int) -> None:
    rng = Random(seed)
    numbers = list(range(1, 9))
    owner = {number: f"owner{rng.randrange(4)}" for number in numbers}
    rounds = []
    for _ in range(2):
        rng.shuffle(numbers)
        rounds.append(tuple(tuple(numbers[first : first + sides]) for first in range(0, 8, sides)))
    score = {number: rng.randrange(12) for number in numbers}
    order = sorted(numbers, key=lambda one: -score[one])
    draw = draw_swiss(order, sides, owner, rounds, score.__getitem__, LOTS, seed)
    cost = pair_costs(order, owner, rounds, score.__getitem__, LOTS, seed)
    everything = [cost.of(tables) for tables in all_partitions(list(range(8)), sides)]
    assert draw.cost == min(everything)
    assert everything.count(min(everything)) == 1, "lots make the optimum the only one"
    assert draw.method == "optimum"


@pytest.mark.parametrize("seed", range(3))
def test_sixteen_have_no_rematch_where_there_is_none_to_be_found(seed: int) -> None:
    """Five rounds of sixteen can be played without a rematch, but not after any four; HiGHS says when."""
    rng, numbers = Random(seed), list(range(1, 17))
    rounds = list[tuple[Table, ...]]()
    for number in range(4):
        score = {one: rng.randrange(9) for one in numbers}
        draw = draw_swiss(
            sorted(numbers, key=lambda one: -score[one]), 4, distinct(numbers), rounds, score.__getitem__, LOTS, seed,
number )  # fmt: skip
        before = rematches(rounds)
        rounds.append(draw.tables)
        assert draw.method == "optimum"
        assert (rematches(rounds) == before) == (draw.bound.meetings == 0)
    assert rematches(rounds[:3]) == 0


@settings(max_examples=10, deadline=None)
@given(
    st.sampled_from([8, 12, 16, 20]),
    st.sampled_from([2, 4]),
    st.integers(1, 3),
    st.sampled_from([0, 4]),
    st.integers(0, 2**32),
)
def test_there_is_no_rematch_where_a_search_through_all_tables_finds_none(
    count: int, sides: int, each: int, leaving: int, seed: int
) -> None:
    rng, numbers = Random(seed), list(range(1, count + 1))
    owner = {number: f"owner{number // each}" for number in numbers}
    of_one = {pair for pair in combinations(numbers, 2) if owner[pair[0]] == owner[pair[1]]}
    rounds = list[tuple[Table, ...]]()
    for number in range(4):
        score = {one: rng.randrange(9) for one in numbers}
        draw = draw_swiss(
            sorted(numbers, key=lambda one: -score[one]), sides, owner, rounds, score.__getitem__, LOTS, number
        )
        met = {pair for tables in rounds for table in tables for pair in combinations(sorted(table), 2)}
        if len(numbers) % sides == 0 and all(min(pair) > 0 for pair in met):  # without stand-ins
            assert (draw.cost[:2] == (0, 0)) == can_avoid_all(sorted(numbers), sides, met | of_one)
        assert is_complete(draw, numbers, sides)
        rounds.append(draw.tables)
        if number == 2:
            for _ in range(leaving):
                numbers.remove(rng.choice(numbers))


@pytest.mark.parametrize("seed", range(2))
def test_the_tables_of_sixteen_cost_as_little_as_the_cheapest_of_all(seed: int) -> None:
    rng, numbers = Random(seed), list(range(1, 17))
    owner = {number: f"owner{rng.randrange(12)}" for number in numbers}
    score, rounds = dict.fromkeys(numbers, 0), list[tuple[Table, ...]]()
    for number in range(4):
        order = sorted(numbers, key=lambda one: -score[one])
        draw = draw_swiss(order, 4, owner, rounds, score.__getitem__, LOTS, number)
        cost = pair_costs(order, owner, rounds, score.__getitem__, LOTS, number)
        assert draw.cost == draw.bound == cheapest_of_all(cost, 4)
        for table in draw.tables:
            for place, one in enumerate(rng.sample(table, 4)):
                score[one] += 2 * place
        rounds.append(draw.tables)


@pytest.mark.parametrize("count", [32, pytest.param(64, marks=[pytest.mark.long, pytest.mark.timeout(1200)])])
def test_the_rounds_of_a_swiss_cost_at_most_a_twentieth_more_than_their_bounds(count: int) -> None:
    """The search is limited by nodes and columns, so all machines find the same."""
    rng, numbers = Random(0), list(range(1, count + 1))
    strength = {one: rng.gauss(0, 1) for one in numbers}
    score = dict.fromkeys(numbers, 0)
    rounds = [draw_order(numbers, 4, distinct(numbers), [], LOTS, 0).tables]
    cost = bound = 0
    for number in range(1, 5):
        for table in rounds[-1]:
            shown = {one: strength[one] + rng.gauss(0, 1) for one in table}
            for place, one in enumerate(sorted(table, key=shown.__getitem__)):
                score[one] += 2 * place
        order = sorted(numbers, key=lambda one: -score[one])
        draw = draw_swiss(order, 4, distinct(numbers), rounds, score.__getitem__, LOTS, number)
        assert draw.cost[:2] == draw.bound[:2] == (0, 0)
        cost, bound = cost + draw.cost.places, bound + draw.bound.places
        rounds.append(draw.tables)
    assert bound <= cost <= 1.05 * bound


def test_the_search_finds_nearly_what_is_proven_the_cheapest() -> None:
    rng, numbers = Random(5), list(range(1, 33))
    score = {one: rng.randrange(8) for one in numbers}
    cost = pair_costs(numbers, distinct(numbers), [], score.__getitem__, LOTS, "search")
    found = by_swaps(cost.total, [list(range(i, i + 4)) for i in range(0, 32, 4)], LOTS, "search")
    best = cheapest(cost, found)
    assert best.proven
    assert best.bound == cost.of(best.tables) <= cost.of(found)
    assert cost.of(found).places <= 1.1 * best.bound.places
    assert pairs_bound(cost.places, 4) <= best.bound.places + 1e-3


def test_two_hundred_have_no_rematch_and_a_bound_is_given() -> None:
    numbers, rng = list(range(1, 201)), Random(2)
    first = draw_order(numbers, 4, distinct(numbers), [], LOTS, 0)
    score = {one: rng.randrange(0, 7, 2) for one in numbers}
    cost = pair_costs(numbers, distinct(numbers), [first.tables], score.__getitem__, LOTS, 1)
    tables = by_swaps(cost.total, [list(range(i, i + 4)) for i in range(0, 200, 4)], LOTS, 1, kicks=0)
    assert cost.of(tables)[:2] == (0, 0)
    assert 0 < pairs_bound(cost.places, 4) <= cost.of(tables).places


def test_stand_ins_sit_apart_and_meet_everybody_once_before_anybody_twice() -> None:
    numbers = list(range(1, 14))
    rounds = list[tuple[Table, ...]]()
    met = dict.fromkeys(numbers, 0)
    for number in range(1):
        draw = draw_order(numbers, 4, distinct(numbers), rounds, LOTS, number)
        assert all(sum(one < 0 for one in table) <= 1 for table in draw.tables)
        rounds.append(draw.tables)
    again = draw_order(numbers, 4, distinct(numbers), rounds, LOTS, "again")
    for tables in (rounds[0], again.tables):
        for table in tables:
            for one in table:
                if one > 0 and min(table) < 0:
                    met[one] += 1
    assert sum(met.values()) == 18
    assert max(met.values()) <= 2


@pytest.mark.parametrize("count", [4, 5, 8, 13, 16, 28, 30, 64])
def test_a_design_is_given_out_by_lot_and_every_two_meet_equally_often(count: int) -> None:
    numbers = list(range(1, count + 1))
    points = len(filled(numbers, 4))
    whole = {4: 1, 8: 7, 16: 5, 28: 9, 32: 31, 64: 21}[points]
    met = dict.fromkeys(combinations(numbers, 2), 0)
    for number in range(whole):
        draw = draw_design(numbers, 4, whole, number, distinct(numbers), LOTS, "a")
        assert draw is not None
        assert is_complete(draw, numbers, 4)
        for table in draw.tables:
            for pair in combinations(sorted(one for one in table if one > 0), 2):
                met[pair] += 1
    assert len(set(met.values())) == 1
    one, other = (draw_design(numbers, 4, whole, 0, distinct(numbers), LOTS, name) for name in "ab")
    assert count < 8 or one != other


@pytest.mark.parametrize("count", [8, 12, 16, 24])
def test_no_two_meet_much_oftener_than_others_in_however_many_rounds(count: int) -> None:
    """Some two meet ceil(3 R / (n - 1)) times or more, whatever is drawn; that often cannot always be reached."""
    numbers, fewest = list(range(1, count + 1)), 0
    for rounds in (2, 5, 8, 11):
        drawn, met = list[tuple[Table, ...]](), Counter[tuple[int, ...]]()
        for turn in range(rounds):
            draw = draw_design(numbers, 4, rounds, turn, distinct(numbers), LOTS, "a") or draw_order(
                LOTS.order(numbers, lambda one: one, turn), 4, distinct(numbers), drawn, LOTS, turn
            )
            assert is_complete(draw, numbers, 4)
            drawn.append(draw.tables)
            met.update(pair for table in draw.tables for pair in combinations(sorted(table), 2))
        bound = math.ceil(3 * rounds / (count - 1))
        assert bound <= max(met.values()) <= bound + 1
        fewest += max(met.values()) == bound
    assert fewest >= 3


def test_a_part_of_a_design_keeps_owners_apart_by_not_being_used() -> None:
    numbers = list(range(1, 17))
    assert draw_design(numbers, 4, 3, 0, distinct(numbers), LOTS) is not None
    assert draw_design(numbers, 4, 3, 0, {number: f"owner{number // 2}" for number in numbers}, LOTS) is None


def test_a_cost_is_the_sum_of_its_pairs_by_the_published_formula() -> None:
    owner = {1: "a", 2: "a", 3: "b", 4: "c"}
    rounds: list[list[Table]] = [[(1, 3, 9, 8)], [(1, 3, 2, 7)]]
    cost = pair_costs([1, 2, 3, 4], owner, rounds, {1: 6, 2: 4, 3: 2, 4: 0}.__getitem__, None)
    gaps = [2, 4, 6, 2, 4, 2]
    assert cost.of([[0, 1, 2, 3]]) == Cost(1, (4 + 2) + (1 + 2) + (1 + 2), sum(gap**2 for gap in gaps) * 100_000)
    lots = pair_costs([1, 2], owner, [], None, LOTS, "x").of([[0, 1]])
    assert lots == Cost(1, 0, LOTS.number("x", "pair", 1, 2) % 100_000)


def test_a_cost_depends_on_no_order() -> None:
    costs = {
        tuple(pair_costs(order, distinct([1, 2, 3, 4]), [], lambda one: one, LOTS, "x").of([[0, 1, 2, 3]]))
        for order in permutations([1, 2, 3, 4])
    }
    assert len(costs) == 1


@pytest.mark.parametrize(("count", "sides"), [(8, 4), (12, 4), (10, 5), (10, 2)])
@pytest.mark.parametrize("seed", range(3))
def test_the_solver_finds_the_cheapest_tables_from_any_others(count: int, sides: int, seed: int) -> None:
    rng, numbers = Random(seed), list(range(1, count + 1))
    owner = {number: f"owner{rng.randrange(3 if seed else count)}" for number in numbers}
    score = {number: rng.randrange(9) for number in numbers}
    rounds = [tuple(tuple(numbers[first : first + sides]) for first in range(0, count, sides))]
    cost = pair_costs(numbers, owner, rounds, score.__getitem__, LOTS, seed)
    found = cheapest(cost, [list(range(first, first + sides)) for first in range(0, count, sides)])
    assert found.proven
    assert found.bound == cost.of(found.tables) == min(map(cost.of, all_partitions(list(range(count)), sides)))
