"""Meanings of answers to an attempt, and the faults of the worker that gave them."""

from __future__ import annotations

import pytest

from ladder.errors import SandboxError
from ladder.runner.executor import AttemptFailure, Judgement, NotPlayed
from ladder.runner.returned import match_outcome
from ladder.values.task import MAX_SENTENCE
from ladder.worker.match_tasks import MatchOutcome
from tests.ladder.worker.test_tasks import TASK


def outcome(match: int = TASK.match, attempt: int = TASK.attempt) -> MatchOutcome:
    return MatchOutcome(match=match, attempt=attempt, record=b"a record")


def test_the_outcome_of_the_attempt_is_taken_as_it_is() -> None:
    assert match_outcome(TASK, outcome().model_dump_json()) == outcome()


@pytest.mark.parametrize(
    ("answer", "judgement", "reason"),
    [
        (outcome(match=TASK.match + 1).model_dump_json(), Judgement.INVALID, "Its worker answered for another match."),
        (
            outcome(attempt=TASK.attempt - 1).model_dump_json(),
            Judgement.INVALID,
            "Its worker answered for another match.",
        ),
        ("garbage", Judgement.INVALID, "Its worker's answer cannot be understood: Invalid JSON"),
        ('{"match": 7, "attempt": 2}', Judgement.INVALID, "Its worker's answer cannot be understood: Value error"),
        ('{"match": 7, "attempt": 2, "void": "The disk is full."}', Judgement.VOID, "The disk is full."),
        (NotPlayed("Its worker was sent away."), None, "Its worker was sent away."),
        (SandboxError("Docker does not answer."), Judgement.VOID, "Docker does not answer."),
        ('{"match": 7, "attempt": 2, "void": "full\\u0000\\nof files"}', Judgement.VOID, "full�\nof files"),
        (SandboxError("x" * 10**6), Judgement.VOID, "x" * MAX_SENTENCE),
        (OSError("gone"), Judgement.VOID, "Its worker was lost: OSError: gone"),
    ],
)
def test_any_other_answer_is_a_failure_with_its_reason(
    answer: str | Exception, judgement: Judgement | None, reason: str
) -> None:
    failure = match_outcome(TASK, answer)
    assert isinstance(failure, AttemptFailure)
    assert failure.judgement is judgement
    assert failure.reason.startswith(reason)
    assert len(failure.reason) < MAX_SENTENCE + 100
