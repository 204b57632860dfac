"""One worker's word that a bot is lost does not suspend it."""

from __future__ import annotations

import pytest

from ladder.runner.lost_claims import MOST_REMEMBERED, LostClaims
from ladder.worker.tasks import MatchOutcome

LOST = "sha256:" + 64 * "a"


def void(lost: str | None = LOST) -> str:
    return MatchOutcome(match=1, attempt=1, void="It is gone.", lost=lost).model_dump_json()


def lost(answer: str) -> str | None:
    outcome = MatchOutcome.model_validate_json(answer)
    assert outcome.void == "It is gone."
    return outcome.lost


def test_two_workers_are_believed_and_one_is_not_however_often_it_says_so() -> None:
    claims = LostClaims()
    assert lost(claims.weigh(void(), "barn", is_alone=False)) is None
    assert lost(claims.weigh(void(), "barn", is_alone=False)) is None
    assert lost(claims.weigh(void("sha256:" + 64 * "b"), "hut", is_alone=False)) is None
    assert lost(claims.weigh(void(), "hut", is_alone=False)) == LOST


def test_where_there_is_one_worker_it_is_believed() -> None:
    assert lost(LostClaims().weigh(void(), "barn", is_alone=True)) == LOST


@pytest.mark.parametrize("answer", [void(None), "garbage", '"lost"', '{"lost": {}}', '[{"lost": "x"}]', '{"lost"' * 9])
def test_other_answers_stay_as_they_are(answer: str) -> None:
    assert LostClaims().weigh(answer, "barn", is_alone=False) == answer


def test_a_worker_that_says_so_of_everything_fills_no_memory() -> None:
    claims = LostClaims()
    for number in range(MOST_REMEMBERED + 10):
        claims.weigh(void(f"sha256:{number:064}"), "barn", is_alone=False)
    assert len(claims._claims) == MOST_REMEMBERED
