"""Whole events, played by chance."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladder.errors import UserError
from ladder.events.course import WENT_OUT, Course, NextRound, Standings, half_places
from ladder.events.entrants import Lots, PlayedRound, TableResult
from ladder.events.scoring import SCORES, Sums, board_points
from ladder.values.events import MAX_BOARDS
from pigpen.rules import PRESETS
from tests.ladder.events.files import EXAMPLES, SEED, entrants, event, example, played, run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ladder.events.draws import Draw
    from ladder.events.entrants import Table
    from ladder.values.events import Event

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
        seated = [one for table in draw.tables for one in table]
        assert len(set(seated)) == len(seated)
        assert {len(table) for table in draw.tables} == {4}
        if following.stage == 0 and following.kind == "round" and following.number == 1:
            assert {one for one in seated if one > 0} == set(range(1, count + 1))


REASONED = FORMATS | {
    "carried": [SWISS, HALVING, FINAL | {"carry": True}],
    "halving down to four": [HALVING | {"carry": False, "rounds": 2}, FINAL],
    "pods, then a smaller stage": [PODS | {"until": 8}, FINAL],
    "pods alone": [PODS],
    "no play-off": [ROUNDS | {"rounds": 1, "play_off": None}, FINAL | {"play_off": None}],
    "a first stage of a few": [SWISS | {"take": 8, "rounds": 1}, FINAL],
}


@pytest.mark.parametrize("kind", REASONED)
@settings(max_examples=8, deadline=None)
@given(
    st.sampled_from(["lot", "rating", ("bot2", "bot1")]),
    st.integers(5, 18), st.integers(0, 1000), st.sampled_from([1, 2, 50]), st.integers(0, 6),
)  # fmt: skip
def test_every_place_has_figures_and_a_reason_that_agrees_with_them(
    kind: str, seeding: Any, count: int, seed: int, levels: int, leaving: int
) -> None:
    """Also below the last stage, of those who left, and of those who never played."""
    rng = Random(seed)
    left = {number: rng.randrange(5) for number in rng.sample(range(1, count + 1), min(leaving, count))}
    drawn, results, course = run(event(*REASONED[kind], seeding=seeding), entrants(count), seed, levels, left)
    found = course.next_round(results)
    assert isinstance(found, Standings)
    assert sorted(row.number for row in found.rows) == list(range(1, count + 1))
    check_where_they_went_out(found, drawn)
    seated = {one for each in results for result in each.tables for one in result.table}
    for row, after in zip(found.rows, (*found.rows[1:], None), strict=True):
        shown = dict(zip(found.criteria, row.values, strict=True))
        score = SCORES[course.event.stages[row.stage].standings] if row.stage is not None else ""
        assert row.number not in seated or shown[score] is not None
        assert bool(row.why) == (after is not None)
        if after is not None and (figures := re.fullmatch(r"(.+): (\S+) to (\S+)", row.why)):
            criterion, own, other = figures.groups()
            assert float(own) > float(other)
            below = dict(zip(found.criteria, after.values, strict=True))
            assert (float(own), float(other)) == (shown[criterion], below[criterion])
        elif after is not None:
            among_pods = row.why in found.criteria and left and kind.startswith("pods")
            assert row.why in WITHOUT_FIGURES or row.why.startswith(WENT_OUT) or among_pods
            assert (row.why.startswith(WENT_OUT)) >= (row.stage != after.stage and after.stage is not None)


def check_where_they_went_out(found: Standings, drawn: list[tuple[NextRound, Draw]]) -> None:
    """Those of the last leg went out nowhere; each other one that has played did, in a round with no later one."""
    rounds = [(each.stage, each.number, each.entrants) for each, _ in drawn if each.kind == "round"]
    out = [row.out_after is not None for row in found.rows if row.stage is not None]
    assert out == sorted(out)
    last = rounds[-1][0] if rounds else None
    for row in found.rows:
        if row.out_after is None:
            assert row.stage in (last, None)
        else:
            assert (row.stage, row.out_after) in [(stage, number) for stage, number, _ in rounds]
            after = [each for stage, number, each in rounds if (stage, number) > (row.stage, row.out_after)]
            assert not any(row.number in each for each in after)


WITHOUT_FIGURES = {
    "lot", "level", "play-off", "place at the table", "left the event", "earlier place", "seeding"
}  # fmt: skip
"""Reasons that name no figures of a criterion."""


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


def test_a_play_off_has_no_more_boards_than_a_match_can_have() -> None:
    of = event(ROUNDS | {"rounds": 1, "play_off": f"boards:{MAX_BOARDS // 2}"}, entrants=(4, 8))
    drawn, _, _ = run(of, entrants(4), levels=1)
    assert [following.boards for following, _ in drawn][1:] == [MAX_BOARDS // 2, MAX_BOARDS // 2 * 2, MAX_BOARDS]


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
        seated = [one for table in draw.tables for one in table]
        assert following.number == number + 1
        assert (5 in seated) == (number < 2)
        assert 9 not in seated
        assert len(seated) == 16
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


class Performances(Sums):
    """Scores whose performances a test decides."""

    def performance(self) -> dict[int, float]:
        """Of four bots, two on either side of where 50 Elo more begin."""
        return {1: 1524.9, 2: 1525.1, 3: 2074.9, 4: 2075.1}


@pytest.mark.parametrize(
    ("pair_by", "expected"),
    [
        ("performance", {1: 30, 2: 31, 3: 41, 4: 42}),
        ("match places", {1: 12, 2: 7, 3: 5, 4: 0}),
        ("board places", {1: 10, 2: 8, 3: 6, 4: 0}),
    ],
)
def test_a_swiss_pairs_by_half_places_of_boards_or_matches_or_by_50_elo(pair_by: str, expected: dict[int, int]) -> None:
    """Places count 6, 4, 2 and 0 at a board or in a match; the second match has two boards."""
    matches = (
        TableResult((1, 2, 3, 4), ((9, 3, 2, 1),), 4),
        TableResult((1, 2, 3, 4), ((1, 2, 3, 0), (9, 1, 0, 0)), 8),
    )
    assert half_places(Performances((1, 2, 3, 4), matches, False), pair_by) == expected


def test_results_of_another_round_are_refused() -> None:
    field = entrants(8)
    course = Course(event(SWISS, FINAL), PRESETS["gongzhu"], field, Lots.of(SEED, field))
    first = course.next_round([])
    assert isinstance(first, NextRound)
    result = played(first, first.draw().tables, Random(1))
    with pytest.raises(UserError, match=r"round 1 .* round 2 of 'Swiss' "):
        course.next_round([result, result])


def test_two_play_offs_of_a_round_have_stand_ins_of_their_own() -> None:
    drawn, _, _ = run(event(PODS, FINAL), entrants(6), levels=1)  # two pods, in which all are level
    (_, draw) = next(each for each in drawn if each[0].kind == "play-off")
    seated = [one for table in draw.tables for one in table]
    assert sorted(seated) == [-2, -1, 1, 2, 3, 4, 5, 6]


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


def of_table(following: NextRound, tables: Sequence[Table], *points: tuple[int, ...]) -> PlayedRound:
    """A round with these points at each table, on every board."""
    boards = following.boards or 1
    return PlayedRound(
        following.stage,
        following.number,
        tuple(TableResult(table, (each,) * boards, boards) for table, each in zip(tables, points, strict=True)),
    )


class Played:
    """An event whose results a test decides, by what each bot is worth."""

    def __init__(self, of: Event, count: int, left: Mapping[int, int] | None = None) -> None:
        self.course = Course(of, PRESETS[of.variant], entrants(count), Lots.of(SEED, entrants(count)), left or {})
        self.results: list[PlayedRound] = []

    def next(self) -> NextRound | Standings:
        return self.course.next_round(self.results)

    def play(self, worth: Callable[[int], int]) -> NextRound:
        """Play the next round; who is worth more is before the others at every table."""
        following = self.next()
        assert isinstance(following, NextRound)
        tables = following.draw().tables
        points = [tuple(worth(one) for one in table) for table in tables]
        self.results.append(of_table(following, tables, *points))
        return following

    def places(self) -> list[int]:
        return places(self.course, self.results)

    def whys(self) -> dict[int, str]:
        found = self.next()
        assert isinstance(found, Standings)
        return {row.number: row.why for row in found.rows}


def level(one: int) -> int:
    return 0


def lower_numbers(one: int) -> int:
    return -one if one > 0 else -100


ONE_ROUND = ROUNDS | {"rounds": 1}


@pytest.mark.parametrize(
    ("stages", "count", "first"),
    [
        ([HALVING | {"until": 8, "carry": False}, FINAL], 8, {1, 2, 3, 4}),
        ([ROUNDS | {"when": "entrants >= 24"}, FINAL], 20, {1, 2, 3, 4}),
        ([PODS | {"advance": 3}, FINAL], 9, {1, 2, 3, 4}),
        ([SWISS | {"take": 8, "rounds": 1}, FINAL], 16, set(range(1, 9))),
    ],
)
def test_a_first_stage_takes_only_as_many_as_it_says_by_the_seeding(
    stages: list[dict[str, Any]], count: int, first: set[int]
) -> None:
    names = tuple(f"bot{number}" for number in range(1, count + 1))
    event_played = Played(event(*stages, seeding=names), count)
    following = event_played.next()
    assert isinstance(following, NextRound)
    assert {one for table in following.draw().tables for one in table} == first
    assert following.entrants == first
    while isinstance(event_played.next(), NextRound):
        event_played.play(lower_numbers)
    assert event_played.places()[:4] == [1, 2, 3, 4]
    assert sorted(event_played.places()) == list(range(1, count + 1))


def test_who_has_left_plays_nothing_off_and_the_cut_is_between_those_who_are_there() -> None:
    """Number 3 would be above the cut; without it the fourth and the fifth are level."""
    tables, worth = ((1, 4, 5, 8), (2, 3, 6, 7)), {1: 9, 2: 9, 3: 7, 4: 7, 5: 5, 6: 5, 7: 4, 8: 4}
    played_on = Played(event(ONE_ROUND, FINAL), 8, left={3: 1})
    first = played_on.next()
    assert isinstance(first, NextRound)
    played_on.results.append(of_table(first, tables, *(tuple(worth[one] for one in table) for table in tables)))
    following = played_on.play(lower_numbers)
    assert (following.kind, following.entrants) == ("play-off", frozenset({5, 6}))
    final = played_on.next()
    assert isinstance(final, NextRound)
    assert (final.kind, final.entrants) == ("round", frozenset({1, 2, 4, 5}))


@pytest.mark.parametrize("gone", [1, 2, 3, 4])
def test_of_those_who_are_level_at_the_cut_only_those_who_are_there_play_off(gone: int) -> None:
    played_on = Played(event(ONE_ROUND, FINAL), 8, left={gone: 1})
    played_on.play(level)
    following = played_on.next()
    assert isinstance(following, NextRound)
    assert (following.kind, following.entrants) == ("play-off", frozenset(range(1, 9)) - {gone})
    played_on.play(lower_numbers)
    final = played_on.next()
    assert isinstance(final, NextRound)
    assert (final.kind, final.stage) == ("round", 1)
    assert gone not in final.entrants


def test_who_leaves_in_the_final_wins_it_only_if_nobody_is_level() -> None:
    level_then = Played(event(ONE_ROUND, FINAL), 4, left={1: 2})
    level_then.play(lower_numbers)
    level_then.play(lambda one: 5 if one in (1, 2) else one)
    found = level_then.next()
    assert isinstance(found, Standings), "there is nothing to play off: only number 2 is there"
    assert [row.number for row in found.rows][:2] == [2, 1]
    assert found.rows[0].why == "left the event"
    ahead = Played(event(ONE_ROUND, FINAL), 4, left={1: 2})
    ahead.play(lower_numbers)
    ahead.play(lower_numbers)
    assert ahead.places() == [1, 2, 3, 4]


@pytest.mark.parametrize("stages", [[SWISS], [SWISS, FINAL], [PODS, FINAL], [HALVING, FINAL], [ROUNDS, FINAL]])
@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_an_event_that_all_have_left_is_over(stages: list[dict[str, Any]], rounds: int) -> None:
    played_on = Played(event(*stages), 8, left=dict.fromkeys(range(1, 9), rounds))
    for _ in range(rounds):
        if isinstance(played_on.next(), NextRound):
            played_on.play(lower_numbers)
    assert sorted(played_on.places()) == list(range(1, 9))


def test_after_pods_the_cut_of_a_smaller_stage_is_played_off_too() -> None:
    """Eight are above the cuts of their pods, and the final takes four: all eight are level with another of them."""
    played_on = Played(event(PODS | {"until": 8}, FINAL), 16)
    first = played_on.play(lower_numbers)
    above = {one for table in first.draw().tables for one in sorted(table)[:2]}
    best = {min(table) for table in first.draw().tables}
    following = played_on.next()
    assert isinstance(following, NextRound)
    assert (following.stage, following.kind) == (1, "round"), "the first of each pod has more points than the second"
    assert following.entrants == best
    level_in_pods = Played(event(PODS | {"until": 8}, FINAL), 16)
    level_in_pods.play(lambda one: int(one in above))  # two of each pod are level before the others
    following = level_in_pods.next()
    assert isinstance(following, NextRound)
    assert (following.kind, following.entrants) == ("play-off", frozenset(above))
    level_in_pods.play(lower_numbers)
    following = level_in_pods.next()
    assert isinstance(following, NextRound)
    assert (following.stage, following.kind) == (1, "round")
    assert len(following.entrants) == 4


def test_standings_say_play_off_where_one_decided_and_lot_where_none_did() -> None:
    played_on = Played(event(ROUNDS | {"rounds": 1}), 4)
    played_on.play(lambda one: 1 if one in (1, 2) else 0)  # 1 and 2 are level, and 3 and 4
    following = played_on.next()
    assert isinstance(following, NextRound)
    assert (following.kind, following.entrants) == ("play-off", frozenset({1, 2}))
    played_on.play(lambda one: -one)
    whys = played_on.whys()
    assert played_on.places()[:2] == [1, 2]
    third, fourth = played_on.places()[2:]
    assert whys == {1: "play-off", 2: "board points: 5 to 1", third: "lot", fourth: ""}


def test_who_goes_on_by_its_place_at_a_table_is_before_others_with_as_many_points() -> None:
    """Points 6, 3, 1, 2 at one table and 5, 4, 3, 0 at the other: of those with 3 the second of its table advances."""
    played_on = Played(event(PODS, ROUNDS), 8)
    first = played_on.next()
    assert isinstance(first, NextRound)
    boards = ((4, 3, 2, 1), (4, 2, 1, 3)), ((4, 3, 2, 1), (2, 2, 2, 1))
    tables = tuple(
        TableResult(table, each, 2) for table, each in zip(((1, 2, 3, 4), (5, 6, 7, 8)), boards, strict=True)
    )
    played_on.results.append(PlayedRound(0, 1, tables))
    following = played_on.next()
    assert isinstance(following, NextRound)
    assert (following.kind, following.entrants) == ("round", frozenset({1, 2, 5, 6}))
    rows = [(row.number, row.values[0], row.why) for row in played_on.course.last.rows]
    assert rows[3:5] == [(2, 3.0, "place at the table"), (7, 3.0, "board points: 3 to 2")]


def test_a_stage_carries_the_one_before_and_what_that_one_carried_and_nothing_behind_one_that_does_not() -> None:
    for carried, counted in (((False, True), (1, 2)), ((True, True), (0, 1, 2)), ((True, False), (2,))):
        of = event(SWISS, HALVING | {"carry": carried[0]}, FINAL | {"carry": carried[1]})
        drawn, results, course = run(of, entrants(8))
        found = course.next_round(results)
        assert isinstance(found, Standings)
        sums = dict.fromkeys(range(1, 9), 0)
        for (following, _), one in zip(drawn, results, strict=True):
            if following.kind == "round" and one.stage in counted:
                for result in one.tables:
                    for number, points in board_points(result).items():
                        sums[number] = sums.get(number, 0) + points
        place = found.criteria.index("board points")
        assert {row.number: row.values[place] for row in found.rows[:4]} == {
            row.number: sums[row.number] / 2 for row in found.rows[:4]
        }
