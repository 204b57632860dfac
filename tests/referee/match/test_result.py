"""Sums over the deals of a record."""

from __future__ import annotations

import random
import statistics

import pytest

from pigpen.rules import PRESETS
from referee.match.formats import Format
from referee.match.result import Tally, clustered_error, places
from referee.records.lines import DealLine, Step

HEARTS = PRESETS["hearts"]
NAMES = ("a", "b", "c", "d")
SCORES = [(26, 0, 0, 0), (1, 2, 10, 13), (13, 13, 0, 0)]
"""Of each board, by seat, whichever bot sits there."""


def line(
    scores: tuple[int, ...], deal: int = 0, rotation: int | None = None, by: tuple[str, ...] = (), took: float = 1.0
) -> DealLine:
    """A deal that only a tally would take: seat s acts once for each of *by*, seats going round."""
    return DealLine(
        deal=deal,
        board=None if rotation is None else deal,
        rotation=rotation,
        seats=None if rotation is None else tuple((seat + rotation) % 4 for seat in range(4)),
        hands=(),
        steps=tuple(Step(seat=place % 4, by=each) for place, each in enumerate(by)),
        scores=scores,
        totals=scores,
        took_ms=(took,) * len(by),
    )


def tally_of(lines: list[DealLine], form: Format) -> Tally:
    tally = Tally(HEARTS, NAMES, form)
    for each in lines:
        tally.add(each)
    return tally


def boards() -> list[DealLine]:
    return [line(scores, deal, rotation) for deal, scores in enumerate(SCORES) for rotation in range(4)]


def test_where_the_cards_decide_alone_boards_make_all_bots_equal() -> None:
    result = tally_of(boards(), Format(boards=3)).result(bytes(32))
    assert [row.total for row in result.results] == [78, 78, 78, 78]
    assert [row.place for row in result.results] == [1, 1, 1, 1]
    assert [row.standard_error for row in result.results] == [0.0, 0.0, 0.0, 0.0]
    assert result.deals == 12


def test_the_standard_error_of_independent_deals_is_the_usual_one() -> None:
    lines = [line(scores, deal) for deal, scores in enumerate(SCORES)]
    result = tally_of(lines, Format(3)).result(bytes(32))
    for seat, row in enumerate(result.results):
        points = [scores[seat] for scores in SCORES]
        assert row.points_per_deal == statistics.mean(points)
        assert row.standard_error == pytest.approx(statistics.stdev(points) / 3**0.5)


def test_a_board_is_one_observation_however_often_it_is_played() -> None:
    assert clustered_error([4, 8], 4) == statistics.stdev([1, 2]) / 2**0.5
    assert clustered_error([4, 8], 1) == 4 * clustered_error([4, 8], 4)  # type: ignore[operator]


def test_a_game_and_a_single_board_have_no_standard_error() -> None:
    games = [line(scores, deal) for deal, scores in enumerate(SCORES)]
    one_board = [line(SCORES[0], 0, rotation) for rotation in range(4)]
    for lines, form in ((games, Format()), (one_board, Format(boards=1)), (games[:1], Format(1))):
        assert {row.standard_error for row in tally_of(lines, form).result(bytes(32)).results} == {None}


def test_the_order_in_which_deals_ended_changes_nothing() -> None:
    by = ("bot", "default:illegal", "bot", "takeover")
    lines = [line(scores, deal, table, by, deal + table) for deal, scores in enumerate(SCORES) for table in range(4)]
    results = []
    for number in range(5):
        random.Random(number).shuffle(lines)
        results.append(tally_of(lines, Format(boards=3)).result(bytes(32)))
    assert results == results[:1] * 5


def test_faults_are_counted_at_all_tables_but_held_against_a_bot_at_each_alone() -> None:
    """Seat 1 is at fault twice at two tables, which are other bots; seat 0 three times at a third."""
    twice = ("bot", "default:timeout", "bot", "bot") * 2
    thrice = ("default:illegal", "bot", "bot", "bot") * 3
    by = {0: twice, 1: twice, 2: thrice, 3: ()}
    lines = [line(SCORES[0], 0, rotation, by[rotation]) for rotation in range(4)]
    result = tally_of(lines, Format(boards=1)).result(bytes(32))
    assert [row.faults for row in result.results] == [0, 2, 5, 0]
    assert [row.taken_over for row in result.results] == [False, False, True, False]
    assert [row.place for row in result.results] == [1, 1, 4, 1]


@pytest.mark.parametrize("verdict", ["gone", "absent"])
def test_a_bot_that_is_gone_is_taken_over_at_once(verdict: str) -> None:
    result = tally_of([line(SCORES[0], by=(f"default:{verdict}",))], Format(1)).result(bytes(32))
    assert [row.taken_over for row in result.results] == [True, False, False, False]


def test_think_times_are_those_of_the_bots_own_decisions() -> None:
    lines = [
        line(SCORES[0], 0, 0, ("bot", "bot", "default:gone", "takeover"), took=5.0),
        line(SCORES[0], 0, 1, ("bot",), took=7.0),
        line(SCORES[0], 0, 2),
        line(SCORES[0], 0, 3),
    ]
    found = [row.think_ms for row in tally_of(lines, Format(boards=1)).result(bytes(32)).results]
    assert found == [
        {"median": 5.0, "worst": 5.0},
        {"median": 6.0, "worst": 7.0},
        {"median": 5.0, "worst": 5.0},
        {"median": 0.0, "worst": 0.0},
    ]


def test_C_7_equal_totals_share_a_place() -> None:
    assert places(HEARTS, (5, 3, 5, 9), [False] * 4) == (2, 1, 2, 4)
    assert places(PRESETS["gongzhu"], (5, 3, 5, 9), [False] * 4) == (2, 4, 2, 1)


def test_offenders_come_last_and_in_order_among_themselves() -> None:
    assert places(HEARTS, (5, 3, 5, 9), [True, True, False, False]) == (4, 3, 1, 2)


def test_GP_1_an_offender_takes_its_partner_along() -> None:
    assert places(PRESETS["gongzhu-partners"], (9, -9, 9, -9), [False, False, True, False]) == (3, 1, 3, 1)
