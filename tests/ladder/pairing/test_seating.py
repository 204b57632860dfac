from __future__ import annotations

import itertools
from collections import Counter
from random import Random

from ladder.pairing.scheduler import Seating
from tests.ladder.pairing.fields import Table, field, followers, planned, seats_of


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
