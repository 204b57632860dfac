"""One worker's word that a bot is lost does not suspend it."""

from __future__ import annotations

import pytest

from ladder.runner.cluster_dispatch import MAX_REMEMBERED, LostClaims
from ladder.worker.match_tasks import MatchOutcome

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


def broken(claims: LostClaims, worker: str, bot: int = 1, *, is_alone: bool = False) -> bool:
    answer = MatchOutcome(match=1, attempt=1, void="Killed.", broke=bot).model_dump_json()
    outcome = MatchOutcome.model_validate_json(claims.weigh(answer, worker, ["a", "b"], is_alone=is_alone))
    assert outcome.broke in (None, bot)
    return outcome.broke is not None


def test_killed_containers_are_believed_of_no_worker_more_often_than_of_all_others() -> None:
    claims = LostClaims()
    assert [broken(claims, "barn") for _ in range(5)] == [False] * 5, "it may be its own fault"
    assert [broken(claims, "hut") for _ in range(7)] == [True] * 5 + [False] * 2
    assert [broken(claims, "shed") for _ in range(3)] == [True] * 3
    assert not broken(claims, "hut", bot=0), "another bot's"


def test_a_bot_that_breaks_its_containers_at_every_worker_is_soon_believed_to() -> None:
    claims = LostClaims()
    assert sum(broken(claims, worker) for worker in ("barn", "hut", "shed") * 2) >= 3


def test_one_worker_alone_is_believed_of_containers_too() -> None:
    assert broken(LostClaims(), "barn", is_alone=True)


@pytest.mark.parametrize("bot", ["2", "-1", "true", '"1"', "[]"])
def test_a_bot_that_was_not_in_the_match_is_left_to_who_reads_the_answer(bot: str) -> None:
    answer = f'{{"match": 1, "attempt": 1, "void": "x", "broke": {bot}}}'
    assert LostClaims().weigh(answer, "barn", ["a", "b"], is_alone=False) == answer


def test_where_there_is_one_worker_it_is_believed() -> None:
    assert lost(LostClaims().weigh(void(), "barn", is_alone=True)) == LOST


@pytest.mark.parametrize("answer", [void(None), "garbage", '"lost"', '{"lost": {}}', '[{"lost": "x"}]', '{"lost"' * 9])
def test_other_answers_stay_as_they_are(answer: str) -> None:
    assert LostClaims().weigh(answer, "barn", is_alone=False) == answer


def test_a_worker_that_says_so_of_everything_fills_no_memory() -> None:
    claims = LostClaims()
    for number in range(MAX_REMEMBERED + 10):
        claims.weigh(void(f"sha256:{number:064}"), "barn", is_alone=False)
    assert len(claims._claims) == MAX_REMEMBERED
