from __future__ import annotations

import pytest

from ladder.results.faults import Faults
from ladder.values.local_results import FaultReport
from referee.records.lines import DealLine
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
        why="it did not take its seat within 10 s",
    )
    assert str(absent[0]) == "board 1, rotation 1, decision 1: absent: it did not take its seat within 10 s"
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
