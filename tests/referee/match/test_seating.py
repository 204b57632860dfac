"""Seating: golden vectors (docs/deals.md), and the fairness of a board."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pigpen.rules import PRESETS, seed_from
from referee.match.formats import circular_order, seats_of

if TYPE_CHECKING:
    from pigpen.rules import Rules

ZERO = "0" * 64
HEARTS = PRESETS["hearts"]
THREE = replace(PRESETS["gongzhu"], players=3, removed=("2D",))
SEVEN = replace(PRESETS["gongzhu"], players=7, removed=("2C", "2D", "3C"))

VECTORS = [
    (ZERO, "hearts", "0132 0213 0312 0123 0321 0231"),
    (ZERO, "gongzhu-partners", "0123 0321 0123 0321 0123 0321"),
    (ZERO, "gongzhu-five", "02314 01234 02143 02341 02134 02431"),
    ("7", "hearts", "0123 0321 0312 0213 0132 0231"),
    ("7", "gongzhu-five", "03241 02143 02134 04213 04123 01324"),
]


@pytest.mark.parametrize(("seed", "preset", "orders"), VECTORS)
def test_the_published_vectors_hold(seed: str, preset: str, orders: str) -> None:
    found = [circular_order(PRESETS[preset], seed_from(seed), board) for board in range(6)]
    assert " ".join("".join(map(str, order)) for order in found) == orders


@pytest.mark.parametrize("rules", [*PRESETS.values(), THREE, SEVEN], ids=lambda rules: f"{rules.name}-{rules.players}")
def test_every_bot_holds_every_hand_of_a_board_once(rules: Rules) -> None:
    for board in range(8):
        seatings = [seats_of(rules, bytes(32), board, rotation) for rotation in range(rules.players)]
        for in_one_seat in zip(*seatings, strict=True):
            assert sorted(in_one_seat) == list(range(rules.players))
        assert all(sorted(seats) == list(range(rules.players)) for seats in seatings)


@pytest.mark.parametrize(("preset", "count"), [("hearts", 6), ("gongzhu-five", 24), ("gongzhu-partners", 2)])
def test_all_circular_orders_take_turns(preset: str, count: int) -> None:
    orders = [circular_order(PRESETS[preset], bytes(32), board) for board in range(2 * count)]
    assert len(set(orders)) == count
    assert orders[:count] == orders[count:]


def test_every_bot_sits_left_of_every_other_equally_often() -> None:
    orders = [circular_order(HEARTS, seed_from("any"), board) for board in range(6)]
    left_of = [(order[seat], order[(seat + 1) % 4]) for order in orders for seat in range(4)]
    assert {pair: left_of.count(pair) for pair in itertools.permutations(range(4), 2)} == dict.fromkeys(left_of, 2)


def test_a_rotation_keeps_everybodys_neighbours() -> None:
    seatings = [seats_of(HEARTS, bytes(32), 3, rotation) for rotation in range(4)]
    circles = {frozenset((seats[seat], seats[(seat + 1) % 4]) for seat in range(4)) for seats in seatings}
    assert len(circles) == 1


def test_GP_1_partners_sit_opposite_on_every_board() -> None:
    for board, rotation in itertools.product(range(6), range(4)):
        seats = seats_of(PRESETS["gongzhu-partners"], seed_from("pairs"), board, rotation)
        assert {frozenset(seats[::2]), frozenset(seats[1::2])} == {frozenset((0, 2)), frozenset((1, 3))}


def test_at_seven_seats_every_board_is_shuffled_for_itself() -> None:
    orders = [circular_order(SEVEN, bytes(32), board) for board in range(50)]
    assert {order[0] for order in orders} == {0}
    assert len(set(orders)) > 40
