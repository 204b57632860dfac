"""Boards of people: today's, the same for everybody and unknown without the secret, and results with the same cards."""

from __future__ import annotations

import datetime

import pytest

from ladder.people.boards.daily_board import FORMAT, day_of, is_revealed, seed_of_day
from ladder.people.boards.played_boards import BoardDeal, BoardScore, differences, percentile, ranked
from ladder.values.people import ChairKind
from pigpen.rules import PRESETS, deal_hands, seed_from
from referee.match.formats import Format
from referee.records.recorded import Recorded
from referee.replay.deal_replay import decisions
from tests.ladder.ladders import played
from tests.referee.recorded import match_lines


def board_deal(recorded: Recorded, rotation: int, chair: int) -> BoardDeal:
    (line,) = recorded.deals.where(1, 1, rotation + 1)
    return BoardDeal(recorded, line, chair)


@pytest.mark.parametrize(("rules", "order"), [("hearts", "cabd"), ("gongzhu", "dbac")])
def test_the_best_one_stands_first_and_you_before_your_equals(rules: str, order: str) -> None:
    points = {"a": 5, "b": 5, "c": -2, "d": 26}
    others = [BoardScore(key, key, ChairKind.HOUSE, each, you=key == order[1]) for key, each in points.items()]
    found = ranked(PRESETS[rules], others)
    assert "".join(each.key for each in found) == order
    assert [each.place for each in found] == [1, 2, 2, 4]


def test_the_percentile_is_the_share_of_those_you_have_beaten() -> None:
    hearts, gongzhu = PRESETS["hearts"], PRESETS["gongzhu"]
    assert percentile(hearts, 0, []) is None
    assert percentile(hearts, 0, [1, 2, 26]) == 100
    assert percentile(gongzhu, 0, [1, 2, 26]) == 0
    assert percentile(gongzhu, 5, [5, 5]) == 50
    assert percentile(hearts, 5, [5, 4, 6, 7]) == 62


@pytest.mark.parametrize("rules", PRESETS)
def test_a_player_that_does_the_same_differs_nowhere(rules: str) -> None:
    one = Recorded.of(played(rules, form="board:0:1"))
    again = Recorded.of(played(rules, form="boards:1"))
    for chair in range(one.rules.players):
        assert differences(board_deal(one, 1, chair), board_deal(again, 1, chair)) == ()


@pytest.mark.parametrize("rules", ["hearts", "gongzhu-sale", "gongzhu-five"])
def test_every_decision_that_differs_is_named_with_the_steps_of_both(rules: str) -> None:
    one, other = (
        Recorded.of(played(rules, form="board:0:0")),
        Recorded.of(match_lines(rules, "board:0:0", seed=seed_from("1"))),
    )
    mine, theirs = board_deal(one, 0, 2), board_deal(other, 0, 2)
    assert mine.line.hands == theirs.line.hands
    found = differences(mine, theirs)
    assert found
    own = {each.number: each for each in decisions(one, mine.line) if each.seat == 2}
    for each in found:
        assert own[each.step].chosen == each.yours != each.other
        assert own[each.step].at == each.at
        step = theirs.line.steps[each.other_step - 1]
        assert step.seat == 2
        assert each.other in (step.passed, step.expose, step.play, step.moon)
    assert [each.step for each in found] == sorted(each.step for each in found)


def test_where_both_knew_the_same_is_told() -> None:
    """The first decision of all is made in the same position; after another pass nothing is the same."""
    one, other = (
        Recorded.of(played("hearts", form="board:0:0")),
        Recorded.of(match_lines("hearts", "board:0:0", seed=seed_from("1"))),
    )
    first, *rest = differences(board_deal(one, 0, 0), board_deal(other, 0, 0))
    assert (first.at, first.same_position) == ("pass", True)
    assert rest
    assert not any(each.same_position for each in rest)


SECRET = bytes(range(32))
DAY = datetime.date(2026, 11, 23)


def test_each_day_and_each_variant_has_a_board_of_its_own() -> None:
    days = [DAY + datetime.timedelta(days=more) for more in range(3)]
    seeds = {seed_of_day(SECRET, day, variant) for day in days for variant in PRESETS}
    assert len(seeds) == 3 * len(PRESETS)
    assert {len(seed) for seed in seeds} == {32}


def test_it_is_the_same_for_everybody_and_another_one_on_another_ladder() -> None:
    rules = PRESETS["hearts"]
    boards = [deal_hands(rules, seed_of_day(secret, DAY, "hearts"), 0) for secret in (SECRET, SECRET, bytes(32))]
    assert boards[0] == boards[1] != boards[2]


@pytest.mark.parametrize("rules", PRESETS)
def test_the_person_sits_in_seat_0(rules: str) -> None:
    form = Format.parse(FORMAT)
    (table,) = form.table_numbers(PRESETS[rules])
    assert form.seats(PRESETS[rules], SECRET, table, 0)[0] == 0


def test_it_is_revealed_when_the_day_is_over_in_greenwich() -> None:
    last = datetime.datetime(2026, 11, 24, 7, 59, 59, tzinfo=datetime.timezone(datetime.timedelta(hours=8)))
    assert day_of(last) == DAY
    assert not is_revealed(DAY, last)
    assert is_revealed(DAY, last + datetime.timedelta(seconds=1))
