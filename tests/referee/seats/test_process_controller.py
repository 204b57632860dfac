from __future__ import annotations

from functools import partial

import pytest

from referee.seats.process_controller import (
    EXCESS_CPU_SECONDS,
    QUIET_CPU_SECONDS,
    FreezePolicy,
    NoController,
    ProcessController,
)
from tests.referee.scripted_seats import RecordingController


@pytest.fixture
def controller() -> RecordingController:
    return RecordingController()


@pytest.fixture
def policy(controller: RecordingController) -> FreezePolicy:
    """Of a program that has taken its seat."""
    policy = FreezePolicy(controller)
    policy.seated()
    controller.done.clear()
    return policy


def test_a_program_is_told_once_that_it_is_seated(controller: RecordingController) -> None:
    policy = FreezePolicy(controller)
    for _ in range(2):
        policy.seated()
    assert controller.done == ["seated"]


def test_it_is_frozen_until_it_is_asked_again(controller: RecordingController, policy: FreezePolicy) -> None:
    policy.freeze()
    policy.freeze()
    policy.begin(3, controller.used)
    policy.end(controller.used)
    assert controller.done == ["freeze", "mark 3", "thaw"]


def test_a_program_that_only_waits_is_left_alone(controller: RecordingController, policy: FreezePolicy) -> None:
    for decision in (1, 2):
        policy.begin(decision, controller.used)
        policy.end(controller.used)
    assert controller.done == ["mark 1", "mark 2"]


def test_one_that_worked_unasked_is_frozen_whenever_it_is_not_asked(
    controller: RecordingController, policy: FreezePolicy
) -> None:
    assert controller.used is not None
    policy.begin(1, controller.used)
    policy.end(controller.used)
    controller.used += 2 * EXCESS_CPU_SECONDS
    for decision in (2, 3):
        policy.begin(decision, controller.used)
        policy.end(controller.used)
    assert controller.done == ["mark 1", "mark 2", "freeze", "mark 3", "thaw", "freeze"]


def after_an_answer(controller: RecordingController, policy: FreezePolicy, unasked: float) -> None:
    """The program answers a question, and then uses *unasked* seconds of CPU time."""
    assert controller.used is not None
    policy.begin(1, controller.used)
    policy.end(controller.used)
    controller.used += unasked


def test_when_it_is_looked_at_one_that_works_is_frozen_until_it_is_asked(
    controller: RecordingController, policy: FreezePolicy
) -> None:
    after_an_answer(controller, policy, 1.5 * QUIET_CPU_SECONDS)
    policy.freeze_if_working()
    policy.freeze_if_working()
    assert controller.reads == 1
    policy.begin(2, controller.used)
    policy.end(controller.used)
    assert controller.done == ["mark 1", "freeze", "mark 2", "thaw"]


def test_one_that_is_quiet_runs_on_when_it_is_looked_at(controller: RecordingController, policy: FreezePolicy) -> None:
    after_an_answer(controller, policy, 0.5 * QUIET_CPU_SECONDS)
    policy.freeze_if_working()
    assert controller.done == ["mark 1"]


def test_one_that_has_not_been_asked_yet_is_not_trusted(controller: RecordingController, policy: FreezePolicy) -> None:
    policy.freeze_if_working()
    assert controller.done == ["freeze"]


def test_one_whose_clock_cannot_be_read_is_not_trusted(controller: RecordingController, policy: FreezePolicy) -> None:
    controller.used = None
    policy.begin(1, None)
    policy.end(None)
    policy.freeze_if_working()
    assert controller.done == ["mark 1", "freeze"]


def test_one_that_works_a_little_between_all_questions_is_frozen_in_the_end(
    controller: RecordingController, policy: FreezePolicy
) -> None:
    rounds = 0
    while "freeze" not in controller.done:
        after_an_answer(controller, policy, 2 * QUIET_CPU_SECONDS)
        rounds += 1
    assert EXCESS_CPU_SECONDS / QUIET_CPU_SECONDS < rounds <= EXCESS_CPU_SECONDS / QUIET_CPU_SECONDS + 3


def test_one_that_works_a_little_now_and_then_is_never_frozen(
    controller: RecordingController, policy: FreezePolicy
) -> None:
    for number in range(100):
        after_an_answer(controller, policy, 0.0 if number % 4 else 3 * QUIET_CPU_SECONDS)
    assert "freeze" not in controller.done


def test_working_when_asked_is_not_being_works_unasked(controller: RecordingController, policy: FreezePolicy) -> None:
    assert controller.used is not None
    for decision in (1, 2):
        policy.begin(decision, controller.used)
        controller.used += 100 * EXCESS_CPU_SECONDS
        policy.end(controller.used)
    assert "freeze" not in controller.done


def test_one_whose_seat_is_lost_stays_frozen(controller: RecordingController, policy: FreezePolicy) -> None:
    policy.seat_lost()
    policy.begin(1, controller.used)
    policy.match_over()
    assert controller.done == ["freeze", "mark 1"]


def test_after_the_match_it_may_run_to_its_end(controller: RecordingController, policy: FreezePolicy) -> None:
    policy.freeze()
    policy.match_over()
    assert controller.done == ["freeze", "thaw"]


def test_where_no_clock_can_be_read_and_nothing_frozen_the_policy_is_the_same() -> None:
    controller: ProcessController = NoController()
    policy = FreezePolicy(controller)
    policy.seated()
    states = []
    begin, end = partial(policy.begin, 1, controller.cpu_time()), partial(policy.end, controller.cpu_time())
    for step in (policy.freeze, begin, end, policy.freeze):
        step()
        states.append(policy.is_frozen)
    assert (controller.cpu_time(), states) == (None, [True, False, False, True])
