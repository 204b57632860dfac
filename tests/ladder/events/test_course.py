"""Whole events, played by chance."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladder.errors import UserError
from ladder.events.course import Course, NextRound, Standings
from ladder.events.entrants import PlayedRound
from ladder.events.lots import Lots
from pigpen.rules import PRESETS
from tests.ladder.events.files import EXAMPLES, SEED, entrants, event, example, played, run

ROUNDS = {"name": "Rounds", "kind": "round-robin", "format": "boards:2"}
SWISS = {"name": "Swiss", "kind": "swiss", "rounds": 3, "format": "boards:2", "standings": "performance"}
PODS = {"name": "Pods", "kind": "pods", "advance": 2, "until": 4, "format": "boards:2"}
HALVING = {"name": "Halving", "kind": "halving", "until": 4, "format": "boards:2", "carry": True}
FINAL = {"name": "Final", "kind": "final", "deals": "half"}
FORMATS: dict[str, list[dict[str, Any]]] = {
    "round robin": [ROUNDS, FINAL],
    "swiss and halving": [SWISS, HALVING, FINAL],
    "pods": [PODS, FINAL],
    "two cuts": [ROUNDS | {"rounds": 2}, SWISS | {"take": 8}, FINAL],
}


def places(course: Course, results: list[PlayedRound]) -> list[int]:
    found = course.next_round(results)
    assert isinstance(found, Standings)
    return [row.number for row in found.rows]


@settings(max_examples=12, deadline=None)
@given(st.sampled_from(list(FORMATS)), st.integers(2, 24), st.integers(0, 1000), st.sampled_from([1, 2, 50]))
def test_every_event_ends_with_a_place_for_every_entrant(kind: str, count: int, seed: int, levels: int) -> None:
    """Also where all boards are level: play-offs end."""
    drawn, results, course = run(event(*FORMATS[kind]), entrants(count), seed, levels)
    assert sorted(places(course, results)) == list(range(1, count + 1))
    for following, draw in drawn:
        chairs = [one for table in draw.tables for one in table]
        assert len(set(chairs)) == len(chairs)
        assert {len(table) for table in draw.tables} == {4}
        if following.stage == 0 and following.kind == "round" and following.number == 1:
            assert {one for one in chairs if one > 0} == set(range(1, count + 1))


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.toml")))
def test_the_examples_can_be_played(name: str) -> None:
    of = example(name)
    count = max(of.entrants[0], 10)
    drawn, results, course = run(of, entrants(count))
    assert sorted(places(course, results)) == list(range(1, count + 1))
    assert drawn[-1][0].stage == len(of.stages) - 1


def test_the_same_seed_and_entrants_give_the_same_event_and_others_another() -> None:
    field, of = entrants(12), event(SWISS, FINAL)
    drawn, results, course = run(of, field)
    again = Course(of, PRESETS["gongzhu"], field, Lots.of(SEED, field)).rounds()
    following = next(again)
    for (_, draw), result in zip(drawn[:-1], results, strict=False):
        assert following.draw() == draw
        following = again.send(result)
    for lots in (Lots.of(bytes([1]) * 32, field), Lots.of(SEED, entrants(12, owners=6))):
        other = Course(of, PRESETS["gongzhu"], field, lots).next_round([])
        assert isinstance(other, NextRound)
        assert other.draw().tables != drawn[0][1].tables
    assert isinstance(course.next_round(results[:-1]), NextRound)


def test_place_one_and_the_cut_are_played_off_and_other_ties_are_not() -> None:
    of = event(ROUNDS | {"rounds": 1}, FINAL, entrants=(4, 8))
    drawn, results, course = run(of, entrants(8), levels=1)  # all are level
    kinds = [(following.stage, following.kind, following.boards) for following, _ in drawn]
    assert kinds == [
        (0, "round", 2),
        (0, "play-off", 4), (0, "play-off", 8), (0, "play-off", 16),
        (1, "round", 4),
        (1, "play-off", 4), (1, "play-off", 8), (1, "play-off", 16),
    ]  # fmt: skip
    assert len(places(course, results)) == 8
    decided, _, _ = run(
        event(ROUNDS | {"rounds": 1, "play_off": None}, FINAL | {"play_off": None}), entrants(8), levels=1
    )
    assert [following.kind for following, _ in decided] == ["round", "round"]


def test_of_each_pod_the_best_go_on() -> None:
    drawn, results, _ = run(event(PODS, FINAL), entrants(8), levels=100)
    first, draw = drawn[0]
    final = next(last for following, last in drawn if following.stage == 1)
    assert first.kind == "round"
    on = set(final.tables[0])
    for result in results[0].tables:
        beaten = [one for one in result.table if one not in on]
        assert len(beaten) == 2
    assert draw.method == "order"


def test_stand_ins_replace_those_who_leave_and_their_results_stay() -> None:
    field, of = entrants(16), event(ROUNDS, FINAL)
    drawn, results, course = run(of, field, left={5: 2, 9: 0})
    for number, (following, draw) in enumerate(drawn[:5]):
        chairs = [one for table in draw.tables for one in table]
        assert following.number == number + 1
        assert (5 in chairs) == (number < 2)
        assert 9 not in chairs
        assert len(chairs) == 16
        assert draw.method == "design"
    assert not {5, 9} & set(drawn[-1][1].tables[0])
    assert sorted(places(course, results)) == list(range(1, 17))


def test_an_order_before_the_first_round_is_by_rating_by_name_or_by_lot() -> None:
    field = entrants(8)
    by_rating = Course(event(SWISS, seeding="rating"), PRESETS["gongzhu"], field, Lots.of(SEED, field)).next_round([])
    assert isinstance(by_rating, NextRound)
    assert by_rating.draw().tables == ((8, 5, 4, 1), (7, 6, 3, 2))
    by_name = event(SWISS, seeding=("bot3", "bot1"))
    named = Course(by_name, PRESETS["gongzhu"], field, Lots.of(SEED, field)).next_round([])
    assert isinstance(named, NextRound)
    assert [table[0] for table in named.draw().tables] == [3, 1]


def test_results_of_another_round_are_refused() -> None:
    field = entrants(8)
    course = Course(event(SWISS, FINAL), PRESETS["gongzhu"], field, Lots.of(SEED, field))
    first = course.next_round([])
    assert isinstance(first, NextRound)
    result = played(first, first.draw().tables, Random(1))
    with pytest.raises(UserError, match=r"round 1 of stage 1 where round 2 of 'Swiss' \(stage 1\) comes next"):
        course.next_round([result, result])


def test_two_play_offs_of_a_round_have_stand_ins_of_their_own() -> None:
    drawn, _, _ = run(event(PODS, FINAL), entrants(6), levels=1)  # two pods, in which all are level
    (_, draw) = next(each for each in drawn if each[0].kind == "play-off")
    chairs = [one for table in draw.tables for one in table]
    assert sorted(chairs) == [-2, -1, 1, 2, 3, 4, 5, 6]


def test_those_who_leave_before_their_pod_are_last_of_it() -> None:
    drawn, results, course = run(event(PODS, FINAL), entrants(12), levels=100, left={3: 0, 7: 1})
    assert 3 not in {one for table in drawn[0][1].tables for one in table}
    found = places(course, results)
    assert sorted(found) == list(range(1, 13))
    assert found[-1] == 3


def test_one_course_can_be_asked_again() -> None:
    _, results, course = run(event(PODS, FINAL), entrants(12), levels=100, left={3: 1})
    assert places(course, results) == places(course, results)
    first = course.next_round([])
    assert isinstance(first, NextRound)
    assert 3 in {one for table in first.draw().tables for one in table}, "it left after the first round"
