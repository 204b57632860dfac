"""Pairs of bots that agree more often than others: simulated fields with copies and without."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from ladder.ratings.agreement import MIN_DECISIONS, MIN_OTHERS, MIN_PAIRS, Counts, Pair, agreements

KINDS = {"expose 1": 2, "play 3": 3, "play 6": 8}
"""Choices of each kind of decision."""
UNLIKELY = 0.05


def met(
    rng: random.Random, bots: int, copies: dict[str, str] | None = None, decisions: int = 60, faithful: float = 1.0
) -> dict[Pair, Counts]:
    """
    Count the answers of a field in which each bot has a skill: the better it is, the more often it takes the best one.

    Args:
        rng: Chance.
        bots: Number of independent bots.
        copies: By copy: its original, with whose answers it agrees with the probability *faithful*.
        decisions: Decisions that a pair has met, about.
        faithful: That probability; else it answers as a bot of its own.
    """
    names = [*(f"bot{number:02}" for number in range(bots)), *(copies or {})]
    skill = {name: rng.uniform(0.3, 0.9) for name in names}
    counts: dict[Pair, Counts] = {}
    for _ in range(decisions * len(names)):
        kind = rng.choice(list(KINDS))
        table = rng.sample(names, min(len(names), 7))
        answer = {
            name: 0 if rng.random() < skill[name] else rng.randrange(KINDS[kind])
            for name in dict.fromkeys([*table, *names[:bots]])
        }
        for name in table:
            original = (copies or {}).get(name)
            if original is not None and rng.random() < faithful:
                answer[name] = answer[original]
        for pair in combinations(sorted(table), 2):
            before = counts.setdefault(pair, {}).get(kind, (0, 0))
            counts[pair][kind] = before[0] + 1, before[1] + (answer[pair[0]] == answer[pair[1]])
    return counts


def test_a_field_without_copies_has_hardly_ever_a_pair_in_the_list() -> None:
    rng = random.Random(11)
    fields = [agreements(met(rng, bots, decisions=decisions)) for bots, decisions in 20 * ((8, 40), (12, 60))]
    assert {len(found) for found in fields} == {28, 66}, "all pairs"
    assert sum(found[0].p <= UNLIKELY for found in fields) <= 6, "an eighth are 5"


@pytest.mark.parametrize("faithful", [1.0, 0.9])
def test_copies_come_first_also_where_they_are_a_third_of_the_field(faithful: float) -> None:
    copies = {"copy1": "bot00", "copy2": "bot00", "copy3": "bot01"}
    found = agreements(met(random.Random(3), 8, copies, decisions=120, faithful=faithful))
    expected = {("bot00", "copy1"), ("bot00", "copy2"), ("copy1", "copy2"), ("bot01", "copy3")}
    first = found[: len(expected)]
    assert {each.pair for each in first} == expected
    assert all(each.p < UNLIKELY for each in first)
    assert all(each.chance < each.equal / each.decisions for each in first)


def test_a_decision_that_all_answer_alike_says_nothing() -> None:
    names = [f"bot{number}" for number in range(6)]
    counts: dict[Pair, Counts] = {pair: {"play 2": (200, 200)} for pair in combinations(names, 2)}
    assert {each.p > UNLIKELY for each in agreements(counts)} == {True}


def test_where_too_little_is_known_nothing_is_concluded() -> None:
    pairs = list(combinations([f"bot{number}" for number in range(5)], 2))
    assert len(pairs) == MIN_PAIRS
    enough: dict[Pair, Counts] = {pair: {"play 2": (MIN_DECISIONS, 10)} for pair in pairs}
    assert len(agreements(enough)) == len(pairs)
    assert agreements({pair: enough[pair] for pair in pairs[1:]}) == [], "too few pairs"
    assert agreements(enough | {pairs[0]: {"play 2": (MIN_DECISIONS - 1, 10)}}) == [], "too few decisions"
    rare: Counts = {"play 2": (MIN_DECISIONS, 10), "moon 2": (100, 100)}
    found = {each.pair: each for each in agreements(enough | {pairs[0]: rare, pairs[1]: {"moon 2": (MIN_OTHERS - 1, 0)}
                                                             | enough[pairs[1]]})}  # fmt: skip
    assert found[pairs[0]].decisions == MIN_DECISIONS, "others have met too few choices of a moon"
    assert found[pairs[1]].decisions == MIN_DECISIONS + MIN_OTHERS - 1, "the first pair has met enough"


def test_the_order_of_the_pairs_makes_no_difference() -> None:
    counts = met(random.Random(5), 6, {"copy": "bot00"})
    assert agreements(counts) == agreements(dict(reversed(counts.items())))
