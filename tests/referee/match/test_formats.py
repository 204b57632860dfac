"""Formats: how many deals, who sits where (golden vectors of docs/deals.md), and the longest time a match may take."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pigpen import ClockSetting
from pigpen.rules import PRESETS, seed_from
from referee.match.formats import DEFAULT_CLOCK, Format, MatchSpec, by_bot, circular_order, longest_match, seats_of
from referee.records.lines import AnyLine, DealLine
from referee.seats.verdict import Verdict
from tests.referee.scripted_seats import FakeTime, Slow, quick, sleeps, sleeps_as_long_as_it_may, works_for_a_third
from tests.referee.tables import play_tables

if TYPE_CHECKING:
    from pigpen.rules import Rules
    from referee.records.lines import ResultLine
    from tests.referee.scripted_seats import Use

HEARTS = PRESETS["hearts"]


@pytest.mark.parametrize(
    "text",
    [
        "deals:0",
        "deals:",
        "deals:x",
        "boards",
        "boards:0",
        "boards:-1",
        "deals:007",
        "deals:²",
        "",
        "game:2",
        "board:1",
        "board:1:8",
        "board:01:1",
        "board:100000:0",
        "board:-1:0",
    ],
)
def test_a_format_that_is_none_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="is not a match format") as error:
        Format.parse(text)
    assert repr(text) in str(error.value)


@pytest.mark.parametrize("text", ["game", "deals:7", "boards:16", "board:0:0", "board:99999:7"])
def test_a_format_reads_back_as_it_was_written(text: str) -> None:
    assert str(Format.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "rules", "tables", "count"),
    [
        ("game", "hearts", 1, None),
        ("deals:7", "gongzhu-five", 1, 7),
        ("boards:7", "hearts", 4, 28),
        ("boards:7", "gongzhu-partners", 4, 28),
        ("boards:7", "gongzhu-five", 5, 35),
        ("board:7:4", "gongzhu-five", 1, 1),
    ],
)
def test_boards_have_a_table_for_each_rotation(text: str, rules: str, tables: int, count: int | None) -> None:
    form = Format.parse(text)
    assert form.tables(PRESETS[rules]) == tables
    assert form.count(PRESETS[rules]) == count


@pytest.mark.parametrize("text", ["game", "deals:7"])
def test_nobody_changes_seats_in_a_match_of_one_table(text: str) -> None:
    assert {Format.parse(text).seats(HEARTS, bytes(32), 0, deal) for deal in range(7)} == {(0, 1, 2, 3)}


def test_what_the_seats_have_goes_to_the_bots_that_sit_there() -> None:
    assert by_bot((10, 11, 12, 13), (2, 0, 3, 1)) == (11, 13, 10, 12)


MATCHES = [("hearts", "boards:4"), ("gongzhu", "boards:2"), ("gongzhu-five", "deals:3"), ("hearts-short", "game")]


def spec_of(rules: str, form: str, clock: ClockSetting = DEFAULT_CLOCK) -> MatchSpec:
    variant = PRESETS[rules]
    return MatchSpec(variant, tuple("abcde"[: variant.players]), Format.parse(form), clock, bytes(range(32)))


async def played(spec: MatchSpec, friends: int, use: Use) -> tuple[float, ResultLine, list[AnyLine]]:
    """Play a match in which *friends* bots use their time in that way: seconds, result, lines."""
    time = FakeTime()
    tables = [
        [Slow(time, use if bot < friends else quick) for bot in range(len(spec.bots))]
        for _ in range(spec.format.tables(spec.rules))
    ]
    lines: list[AnyLine] = []
    result = await play_tables(spec, tables, lines.append, now=time)
    return time.seconds, result, lines


@pytest.mark.parametrize(("rules", "form"), MATCHES)
@pytest.mark.parametrize("use", [sleeps, sleeps_as_long_as_it_may, works_for_a_third])
@pytest.mark.parametrize("friends", [1, 3, 4])
async def test_a_match_ends_in_time_and_the_honest_have_no_fault(rules: str, form: str, use: Use, friends: int) -> None:
    spec = spec_of(rules, form)
    seconds, result, _ = await played(spec, friends, use)
    assert seconds <= longest_match(spec.rules, spec.format, spec.clock)
    assert [row.faults for row in result.results[friends:]] == [0] * (len(spec.bots) - friends)


async def test_those_who_sleep_are_at_fault_once_their_bank_is_used_up() -> None:
    spec = spec_of("hearts", "boards:4")
    _, result, lines = await played(spec, 3, sleeps)
    assert [(row.faults, row.taken_over) for row in result.results] == [(12, True)] * 3 + [(0, False)]
    steps = [step for line in lines if isinstance(line, DealLine) for step in line.steps]
    assert {step.by for step in steps} == {"bot", "forced", f"default:{Verdict.TIMEOUT}", "takeover"}


def test_the_bound_counts_every_table_and_no_more_deals_than_a_game_can_have() -> None:
    rules, clock = PRESETS["hearts"], ClockSetting(bank=1.0, increment=0.0, limit=1.0, start_up=5.0)

    def longest(form: str) -> float:
        return longest_match(rules, Format.parse(form), clock)

    assert longest("boards:4") == 4 * longest("deals:4")
    assert longest("game") == longest(f"deals:{rules.end.cap}")


@pytest.mark.parametrize(
    ("preset", "part"), [("hearts", "passing"), ("hearts", "moon"), ("gongzhu", "exposing"), ("gongzhu", "moon")]
)
def test_the_bound_counts_every_question_of_a_deal(preset: str, part: str) -> None:
    rules, form = PRESETS[preset], Format.parse("deals:4")
    taken: dict[str, Any] = {part: None}
    assert longest_match(rules, form, DEFAULT_CLOCK) > longest_match(replace(rules, **taken), form, DEFAULT_CLOCK)


ZERO = "0" * 64
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
