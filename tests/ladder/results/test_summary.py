from __future__ import annotations

import doctest

import pytest

from ladder.results import summary as module
from ladder.results.summary import summarise
from pigpen.rules import seed_from
from pigpen.rules.shuffle import commitment
from referee.records.lines import DealLine, ResultLine
from referee.records.recorded import BadRecord
from referee.replay.rerun import asked
from tests.ladder.ladders import played


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
    with pytest.raises(BadRecord, match="its seed is not the one"):
        summarise([*played(seed="1")[:-1], played(seed="2")[-1]])


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(module).failed == 0
