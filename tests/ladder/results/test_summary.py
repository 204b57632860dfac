"""Points of each bot on each board, and the count of a deal that was taken over."""

from __future__ import annotations

import doctest
import statistics
from typing import TYPE_CHECKING

import pytest

from ladder.results import summary as module
from ladder.results.summary import BoardPoints, charged, summarise, teams_of
from pigpen.rules import PRESETS, seed_from
from pigpen.rules.shuffle import commitment
from referee.records.lines import DealLine, ResultLine
from referee.records.recorded import BadRecord
from referee.replay.rerun import asked
from tests.ladder.ladders import played, summary_of

if TYPE_CHECKING:
    from collections.abc import Sequence

VARIANTS = ("hearts", "gongzhu", "gongzhu-five", "gongzhu-partners")
FORM = "boards:2"


def points_of(variant: str, lines: Sequence[DealLine]) -> list[tuple[float, ...]]:
    boards = BoardPoints(teams_of(PRESETS[variant]), PRESETS[variant].low_is_better)
    for line in lines:
        boards.take(line)
    return boards.of_bots()


def deals_of(variant: str, sinner: int | None = None) -> list[DealLine]:
    return [line for line in played(variant, sinner=sinner, form=FORM) if isinstance(line, DealLine)]


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_boards_of_a_match_add_up_to_its_points_and_more_is_better(variant: str) -> None:
    lines, rules = played(variant, form=FORM), PRESETS[variant]
    result = lines[-1]
    assert isinstance(result, ResultLine)
    sign = -1 if rules.low_is_better else 1
    for bot, row in zip(summarise(lines).bots, result.results, strict=True):
        assert len(bot.board_points) == 2
        assert sign * statistics.fmean(bot.board_points) == pytest.approx(row.points_per_deal)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_side_that_was_taken_over_has_the_worst_margin_at_each_table(variant: str) -> None:
    """Computed for itself, from margins against the mean of all: they are (k − 1) / k of those against the others."""
    rules, sinner = PRESETS[variant], 1
    sign, teams = -1 if rules.low_is_better else 1, teams_of(rules)
    (own,) = (side for side, team in enumerate(teams) if sinner in team)
    expected: dict[int, list[float]] = {}
    for line in deals_of(variant, sinner):
        seats = line.seats or tuple(range(rules.players))
        points = [sign * line.scores[seats.index(team[0])] for team in teams]
        mean = statistics.fmean(points)
        others = statistics.fmean(points[:own] + points[own + 1 :])
        worst = (min(points) - mean) * len(teams) / (len(teams) - 1)
        expected.setdefault(line.deal, []).append(others + worst)
    found = summary_of(variant, sinner=sinner, form=FORM).bots[sinner].board_points
    assert found == pytest.approx([statistics.fmean(expected[board]) for board in (0, 1)])


def test_the_points_of_the_others_stay_as_they_were_played() -> None:
    summary = summary_of("hearts", sinner=2, form=FORM)
    for bot, own in enumerate(summary.bots):
        as_played = -own.points_per_deal
        if bot == 2:
            assert statistics.fmean(own.board_points) < as_played
        else:
            assert statistics.fmean(own.board_points) == pytest.approx(as_played)


def test_the_order_of_the_deals_does_not_matter() -> None:
    deals = deals_of("gongzhu-five", sinner=0)
    assert points_of("gongzhu-five", deals[::-1]) == points_of("gongzhu-five", deals)


@pytest.mark.parametrize(
    ("points", "offenders", "expected"),
    [
        ([30.0, 0.0, 0.0, -30.0], [], [30.0, 0.0, 0.0, -30.0]),
        ([30.0, 0.0, 0.0, -30.0], [3], [30.0, 0.0, 0.0, -30.0]),
        ([30.0, 0.0, 0.0, -30.0], [0], [-50.0, 0.0, 0.0, -30.0]),
        ([30.0, 0.0, 0.0, -30.0], [0, 1], [-50.0, -40.0, 0.0, -30.0]),
        ([20.0, -20.0], [0], [-60.0, -20.0]),
        ([7.0, 7.0], [0, 1], [7.0, 7.0]),
    ],
)
def test_an_offender_is_as_far_behind_the_others_as_the_worst_was(
    points: list[float], offenders: list[int], expected: list[float]
) -> None:
    assert charged(points, offenders) == expected


def test_a_bot_that_errs_once_has_played_its_deals_itself() -> None:
    """Three faults make a takeover; before it only single actions are the policy's."""
    once = [
        line.model_copy(
            update={
                "steps": tuple(
                    step.model_copy(update={"by": "default:timeout"}) if number == 0 else step
                    for number, step in enumerate(line.steps)
                )
            }
        )
        for line in deals_of("hearts")
    ]
    assert points_of("hearts", once) == points_of("hearts", deals_of("hearts"))


def test_a_summary_says_what_the_record_says() -> None:
    lines = played(sinner=1)
    summary = summarise(lines)
    result = lines[-1]
    assert isinstance(result, ResultLine)
    assert (summary.commitment, summary.deals) == (commitment(seed_from("1")), 4)
    for result_row, bot in zip(result.results, summary.bots, strict=True):
        assert (bot.place, bot.points, bot.points_per_deal) == (
            result_row.place,
            result_row.total,
            result_row.points_per_deal,
        )
        assert (bot.faults, bot.taken_over) == (result_row.faults, result_row.taken_over)
    deals = [line for line in lines if isinstance(line, DealLine)]
    assert [bot.decisions for bot in summary.bots] == [sum(len(asked(line, bot)) for line in deals) for bot in range(4)]
    assert summary.bots[1].decisions == 12
    assert max(bot.decisions for bot in summary.bots) < 56
    assert {(held.seat, held.verdict) for held in summary.faults} == {(1, "malformed")}
    assert len(summary.faults) == 12


def test_the_order_in_which_tables_ended_does_not_matter() -> None:
    first, *deals, last = played("gongzhu-five", form="boards:2")
    assert summarise([first, *deals[::-1], last]) == summarise([first, *deals, last])


def test_partners_are_a_side() -> None:
    assert summarise(played("gongzhu-partners")).teams == ((0, 2), (1, 3))
    assert summarise(played("gongzhu-five")).teams == ((0,), (1,), (2,), (3,), (4,))


def test_a_match_that_is_not_finished_has_no_summary() -> None:
    with pytest.raises(BadRecord, match="not finished"):
        summarise(played()[:-1])


def test_a_seed_that_is_not_the_one_committed_to_is_refused() -> None:
    with pytest.raises(BadRecord, match="seed is not the"):
        summarise([*played(seed="1")[:-1], played(seed="2")[-1]])


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(module).failed == 0
