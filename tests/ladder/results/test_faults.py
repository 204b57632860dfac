"""Faults of bots and their thinking times, as a result tells them."""

from __future__ import annotations

import doctest
from collections import Counter

import pytest

from ladder.results import match_decisions as module
from ladder.results.match_decisions import BINS, EDGES_MS, Faults, ThinkTimes, added, bin_of
from ladder.values.local_results import FaultReport
from referee.records.lines import DealLine, Step
from tests.referee.bots import moon_lines
from tests.referee.recorded import faulty_seats, match_lines


def test_a_fault_is_told_with_its_deal_and_the_bots_decision_at_its_table() -> None:
    faults = Faults()
    for line in match_lines("hearts", "boards:2", faulty_seats):
        if isinstance(line, DealLine):
            faults.take(line)
    assert [(held.rotation, held.decision, held.verdict) for held in faults.of(0)] == [
        (rotation, decision, "malformed") for rotation in (1, 2, 3, 4) for decision in (1, 2, 3)
    ]
    assert faults.of(2) == []
    absent = faults.of(1)
    assert absent[0] == FaultReport(
        seat=1,
        rotation=1,
        place="board 1, rotation 1",
        decision=1,
        verdict="absent",
        why=absent[0].why,
    )
    assert absent[0].why.endswith("its seat within 10 s")
    assert str(absent[0]) == f"board 1, rotation 1, decision 1: absent: {absent[0].why}"
    assert len(absent) == 4
    assert faults.decisions(0) == 4 * 3
    assert faults.decisions(1) == 4


def test_a_fault_tells_how_the_program_ended() -> None:
    faults = Faults()
    for line in match_lines("hearts", "deals:1", faulty_seats):
        if isinstance(line, DealLine):
            faults.take(line)
    [gone] = faults.of(3)
    assert (gone.verdict, gone.exit_code, gone.oom) == ("gone", 137, True)
    assert {held.exit_code for held in faults.of(0)} == {None}


@pytest.mark.parametrize(("form", "absent"), [("boards:1", [1]), ("boards:2", [1]), ("deals:2", [])])
def test_a_bot_never_came_if_it_was_absent_at_all_of_several_tables(form: str, absent: list[int]) -> None:
    faults = Faults()
    for line in match_lines("hearts", form, faulty_seats):
        if isinstance(line, DealLine):
            faults.take(line)
    assert [bot for bot in range(4) if faults.never_came(bot)] == absent


def test_a_bot_that_missed_one_of_its_tables_did_come() -> None:
    faults = Faults()
    for line in match_lines("hearts", "boards:1", faulty_seats):
        if isinstance(line, DealLine):
            there = [step.model_copy(update={"why": None}) for step in line.steps]
            faults.take(line.model_copy(update={"steps": tuple(there)}) if line.rotation == 2 else line)
    assert not faults.never_came(1)


def deals(form: str = "deals:1", rules: str = "hearts") -> list[DealLine]:
    return [line for line in match_lines(rules, form) if isinstance(line, DealLine)]


def think_times(lines: list[DealLine], bots: int) -> list[dict[str, list[int]]]:
    counted = ThinkTimes(bots)
    for line in lines:
        counted.take(line)
    return counted.of_bots()


def test_the_edges_are_one_two_five_and_times_on_an_edge_are_in_the_bin_above() -> None:
    assert EDGES_MS[:4] == (0.01, 0.02, 0.05, 0.1)
    assert EDGES_MS[-1] == 50_000
    assert list(EDGES_MS) == sorted(EDGES_MS)
    assert [bin_of(ms) for ms in (0.0, 0.01, 0.019, 0.02, 50_000, 1e9)] == [0, 1, 1, 2, BINS - 1, BINS - 1]


def test_each_bot_leads_the_tricks_it_leads_and_follows_to_the_others() -> None:
    [line] = deals()
    counted = think_times([line], 4)
    assert [set(counts) for counts in counted] == [{"pass", "lead", "follow"}] * 4
    assert [sum(counts["pass"]) for counts in counted] == [1] * 4
    plays = [step for step in line.steps if step.play]
    assert sum(sum(counts["lead"]) for counts in counted) == sum(step.by == "bot" for step in plays[::4]) < 13
    assert [sum(counts["lead"]) + sum(counts["follow"]) for counts in counted] == [
        sum(step.seat == seat and step.by == "bot" for step in plays) for seat in range(4)
    ]


def test_times_are_those_of_the_clock_cpu_time_where_it_was_read() -> None:
    [line] = deals()
    steps = len(line.steps)
    slow = line.model_copy(update={"took_ms": (30.0,) * steps})
    in_wall_time = think_times([slow], 4)[0]["follow"]
    assert in_wall_time[bin_of(30.0)] == sum(in_wall_time)
    in_cpu_time = think_times([slow.model_copy(update={"cpu_ms": (3.0,) * steps})], 4)[0]["follow"]
    assert in_cpu_time[bin_of(3.0)] == sum(in_cpu_time) == sum(in_wall_time)
    unread = think_times([slow.model_copy(update={"cpu_ms": (None,) * steps})], 4)[0]["follow"]
    assert unread == in_wall_time


def test_bots_are_told_by_their_numbers_wherever_they_sit() -> None:
    lines = deals("boards:1", "gongzhu-five")
    counted = think_times(lines, 5)
    own = Counter(line.seats[step.seat] for line in lines if line.seats for step in line.steps if is_own_card(step))
    assert [sum(counts["lead"]) + sum(counts["follow"]) for counts in counted] == [own[bot] for bot in range(5)]


def is_own_card(step: Step) -> bool:
    return step.play is not None and step.by == "bot"


def test_what_the_default_policy_plays_is_not_counted_and_neither_is_what_is_forced() -> None:
    lines = [line for line in match_lines("hearts", "deals:1", faulty_seats) if isinstance(line, DealLine)]
    counted = think_times(lines, 4)
    own = sum(step.seat == 2 and step.by == "bot" for step in lines[0].steps)
    assert [sum(map(sum, counts.values())) for counts in counted] == [3, 1, own, 1]
    assert own < 14


def test_the_choice_of_a_moon_is_a_phase_of_its_own() -> None:
    lines = [line for line in moon_lines() if isinstance(line, DealLine)]
    assert sum(sum(counts.get("moon", [])) for counts in think_times(lines, 4)) == 1


def test_histograms_are_added_phase_by_phase() -> None:
    one, two = [1] + [0] * (BINS - 1), [2] * BINS
    assert added({"pass": one}, {"lead": two, "pass": one}) == {"pass": [2] + [0] * (BINS - 1), "lead": two}
    assert added({}, {}) == {}


def test_the_examples_in_the_docstrings_hold() -> None:
    result = doctest.testmod(module)
    assert (result.attempted, result.failed) == (2, 0)
