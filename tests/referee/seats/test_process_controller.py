from __future__ import annotations

import pytest

from referee.seats.process_controller import RESTLESS_SECONDS, FreezePolicy, NoController, ProcessController
from tests.referee.scripted_seats import NotingKeeper


@pytest.fixture
def keeper() -> NotingKeeper:
    return NotingKeeper()


@pytest.fixture
def turns(keeper: NotingKeeper) -> FreezePolicy:
    """Of a program that has taken its seat."""
    turns = FreezePolicy(keeper)
    turns.seated()
    keeper.done.clear()
    return turns


def test_a_program_is_told_once_that_it_is_seated(keeper: NotingKeeper) -> None:
    turns = FreezePolicy(keeper)
    for _ in range(2):
        turns.seated()
    assert keeper.done == ["seated"]


def test_it_rests_until_it_is_asked_again(keeper: NotingKeeper, turns: FreezePolicy) -> None:
    turns.rest()
    turns.rest()
    turns.begin(3, keeper.used)
    turns.end(keeper.used)
    assert keeper.done == ["hold", "mark 3", "free"]


def test_a_quiet_one_is_left_alone(keeper: NotingKeeper, turns: FreezePolicy) -> None:
    for decision in (1, 2):
        turns.begin(decision, keeper.used)
        turns.end(keeper.used)
    assert keeper.done == ["mark 1", "mark 2"]


def test_one_that_worked_unasked_is_held_whenever_it_is_not_asked(keeper: NotingKeeper, turns: FreezePolicy) -> None:
    assert keeper.used is not None
    turns.begin(1, keeper.used)
    turns.end(keeper.used)
    keeper.used += 2 * RESTLESS_SECONDS
    for decision in (2, 3):
        turns.begin(decision, keeper.used)
        turns.end(keeper.used)
    assert keeper.done == ["mark 1", "mark 2", "hold", "mark 3", "free", "hold"]


def test_working_when_asked_is_not_being_restless(keeper: NotingKeeper, turns: FreezePolicy) -> None:
    assert keeper.used is not None
    for decision in (1, 2):
        turns.begin(decision, keeper.used)
        keeper.used += 100 * RESTLESS_SECONDS
        turns.end(keeper.used)
    assert "hold" not in keeper.done


def test_one_whose_seat_is_lost_is_held_for_good(keeper: NotingKeeper, turns: FreezePolicy) -> None:
    turns.dismiss()
    turns.begin(1, keeper.used)
    turns.over()
    assert keeper.done == ["hold", "mark 1"]


def test_after_the_match_it_may_run_to_its_end(keeper: NotingKeeper, turns: FreezePolicy) -> None:
    turns.rest()
    turns.over()
    assert keeper.done == ["hold", "free"]


def test_where_no_clock_can_be_read_and_nobody_held_the_policy_is_the_same() -> None:
    nobody: ProcessController = NoController()
    turns = FreezePolicy(nobody)
    turns.seated()
    states = []
    for step in (
        turns.rest,
        lambda: turns.begin(1, nobody.cpu_time()),
        lambda: turns.end(nobody.cpu_time()),
        turns.rest,
    ):
        step()
        states.append(turns.is_held)
    assert (nobody.cpu_time(), states) == (None, [True, False, False, True])
