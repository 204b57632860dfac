"""Bots that surely beat each other in a circle: told where they do, and hardly ever where strengths add up."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import numpy.typing as npt
import pytest

from benchmarks.simulated_ladder import Results, World
from ladder.ratings import circles
from ladder.ratings.batch import Estimate
from ladder.ratings.circles import FALSE, MIN_DECIDED, Circle, Step, find_circles, limit

FloatArray = npt.NDArray[np.float64]

Pair = tuple[int, int, int, int, int]
"""Two ids, boards on which the first one was ahead, on which it was behind, and on which they tied."""


def found_in(pairs: list[Pair], ratings: dict[int, float] | None = None) -> list[Circle]:
    """Find the circles of these pairs; without ratings an estimate knows none of the bots."""
    a, b, ahead, behind, ties = (np.array(column) for column in zip(*pairs, strict=True))
    known = ratings or {}
    estimate = Estimate(np.array([*known]), np.array([*known.values()]), np.zeros((len(known), len(known))))
    score = ahead + ties / 2
    return find_circles(a, b, (ahead + behind + ties).astype(float), score, ties.astype(float), estimate)


ROUND: list[Pair] = [(7, 3, 80, 20, 0), (3, 5, 70, 30, 9), (7, 5, 25, 75, 1)]
"""7 beats 3, 3 beats 5, 5 beats 7."""


def test_a_circle_is_found_with_the_boards_of_each_of_its_pairs() -> None:
    assert found_in(ROUND) == [(Step(3, 70, 30), Step(5, 75, 25), Step(7, 80, 20))]


def test_pairs_in_parts_and_in_either_order_are_one_pair() -> None:
    assert found_in([(7, 3, 50, 5, 0), (3, 7, 15, 30, 0), *ROUND[1:]]) == found_in(ROUND)


@pytest.mark.parametrize("order", [*permutations((3, 5, 7))])
def test_no_order_of_the_ratings_hides_a_circle(order: tuple[int, ...]) -> None:
    assert found_in(ROUND, dict(zip(order, (1600.0, 1500.0, 1400.0), strict=True))) == found_in(ROUND)


@pytest.mark.parametrize(
    ("pair", "is_found"),
    [
        ((7, 3, MIN_DECIDED - 1, 0, 0), False),
        ((7, 3, MIN_DECIDED, 0, 0), True),
        ((7, 3, MIN_DECIDED + 1, 0, 0), True),
        ((7, 3, 59, 41, 0), False),  # z = 1.7, and the limit for three pairs is 2.13
        ((7, 3, 61, 39, 0), False),  # z = 2.1
        ((7, 3, 62, 38, 0), True),
        ((7, 3, 61, 38, 0), True),
        ((7, 3, 0, 0, 500), False),
        ((7, 3, 62, 38, 900), True),  # ties say nothing, neither for it nor against it
    ],
)
def test_each_bot_beats_the_next_one_surely(pair: Pair, is_found: bool) -> None:
    assert bool(found_in([pair, *ROUND[1:]])) is is_found


def test_the_more_pairs_are_looked_at_the_surer_each_has_to_be() -> None:
    others: list[Pair] = [(a, b, 50, 50, 0) for a, b in combinations(range(10, 40), 2)]
    assert found_in([(7, 3, 65, 35, 0), *ROUND[1:]]) != []
    assert found_in([(7, 3, 65, 35, 0), *ROUND[1:], *others]) == []
    seldom: list[Pair] = [(a, b, 10, MIN_DECIDED - 11, 99) for a, b, *_ in others]
    assert found_in([(7, 3, 65, 35, 0), *ROUND[1:], *seldom]) != []


def all_circles(won: npt.NDArray[np.bool_]) -> set[tuple[int, int, int]]:
    """Try all threes; *won* is (n, n)."""
    return {
        (a, b, c) for a, b, c in permutations(range(len(won)), 3)
        if a < min(b, c) and won[a, b] and won[b, c] and won[c, a]
    }  # fmt: skip


def tournament(seed: int, bots: int) -> tuple[list[Pair], npt.NDArray[np.bool_]]:
    """Let of each pair one win, by chance; some have not met, and most by a number of boards of their own."""
    rng = np.random.default_rng(seed)
    pairs: list[Pair] = []
    won = np.zeros((bots, bots), dtype=bool)
    for a, b in combinations(range(bots), 2):
        wins, met = rng.random() < 0.5, rng.random() < 0.8
        if met:
            ahead, behind = (int(rng.integers(100, 400)), 10)[:: 1 if wins else -1]
            pairs.append((a, b, ahead, behind, 0))
            won[a, b], won[b, a] = wins, not wins
    return pairs, won


@pytest.mark.parametrize("seed", range(5))
def test_all_circles_are_found_and_each_once(seed: int) -> None:
    pairs, won = tournament(seed, 9)
    ratings = dict(enumerate(np.random.default_rng(seed).normal(1500, 100, 9).tolist()))
    found = [tuple(step.version for step in circle) for circle in found_in(pairs, ratings)]
    assert len(found) == len(set(found)) > 0
    assert set(found) == all_circles(won)


def test_of_many_circles_the_surest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs, _ = tournament(1, 12)
    everything = found_in(pairs)
    monkeypatch.setattr(circles, "MAX_CIRCLES", 4)
    assert found_in(pairs) == everything[:4]
    least = [min((step.ahead - step.behind - 1) / (step.ahead + step.behind) ** 0.5 for step in each)
             for each in everything]  # fmt: skip
    assert least == sorted(least, reverse=True)
    monkeypatch.setattr(circles, "MAX_AGAINST", 1)
    assert set(found_in(pairs)) < set(everything)


def test_in_a_field_with_an_order_a_false_circle_is_as_rare_as_the_limit_says() -> None:
    """
    Of each three the first surely beats the second, that one surely the third, and first and third are equal.

    So one of each three pairs can be against the order, and of 60 pairs 20: in 0.05 · 20 / 60 of all fields one is.
    """
    rng, fields, threes, boards = np.random.default_rng(4), 3000, 20, 1000
    false = 0
    for ahead in rng.binomial(boards, 0.5, (fields, threes)).tolist():
        pairs: list[Pair] = []
        for number, each in enumerate(ahead):
            one, two, three = 3 * number, 3 * number + 1, 3 * number + 2
            pairs += [(one, two, 900, 100, 0), (two, three, 900, 100, 0), (one, three, each, boards - each, 0)]
        false += bool(found_in(pairs))
    assert false / fields == pytest.approx(FALSE / 3, abs=0.006)


def ladder_of(field: World, matches: int, seed: int) -> list[Circle]:
    """Play matches at tables by chance, and find the circles."""
    rng, results = np.random.default_rng((9, seed)), Results(field.count, field.sides)
    tables = np.argsort(rng.random((matches, field.count)), axis=1)[:, : field.sides]
    results.add(tables, field.play(tables, rng))
    a, b = np.nonzero(np.triu(results.n))
    boards, score, ties = 4 * results.n[a, b], results.score["board"][a, b], results.ties[a, b]
    return find_circles(a, b, boards, score, ties, results.estimate("board"))


BOTS, MATCHES, LADDERS = 12, 1200, 100


def with_a_circle(seed: int) -> World:
    """Give an additive field but for three equal bots, of which each has 300 Elo over the next, beyond strengths."""
    field = World("additive", BOTS, seed)
    field.strengths[:3] = 0.0
    for one, other in ((0, 1), (1, 2), (2, 0)):
        field.over[one, other], field.over[other, one] = 30.0, -30.0
    return field


def test_a_strong_circle_is_told() -> None:
    found = [ladder_of(with_a_circle(seed), MATCHES, seed) for seed in range(20)]
    assert sum([step.version for step in circle] == [0, 1, 2] for each in found for circle in each) >= 19


@pytest.mark.parametrize("kind", ["additive", "heavy tails", "clones", "all equal"])
def test_where_strengths_add_up_no_circle_is_told(kind: str) -> None:
    """Copies that tie, copies among others, and bots of one strength make none."""
    false = 0
    for seed in range(LADDERS):
        field = World("additive" if kind == "all equal" else kind, BOTS, seed)
        field.strengths *= kind != "all equal"
        false += bool(ladder_of(field, MATCHES, seed))
    assert false <= FALSE * LADDERS


def test_the_simulated_fields_would_have_circles_if_each_pair_were_judged_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(circles, "limit", lambda _: limit(1))
    field = World("additive", 24, 0)
    field.strengths *= 0
    assert ladder_of(field, 2400, 0) != []
