"""The last sentence of `pigpen compare` says what the test accepted, with its bounds."""

from __future__ import annotations

import pytest

from ladder.cli.play.compare import verdict
from ladder.ratings.sprt import SprtDecision
from ladder.values.local_results import CompareResult

NOT_SHOWN = "That does not show that it is better: ask with --elo0 0 --elo1 50."


def result(decision: SprtDecision, elo0: float, elo1: float) -> CompareResult:
    return CompareResult(
        rules="hearts", old="old", new="new", field=("random",), decision=decision.value, accepted=decision.accepted,
        boards=64, deals=512, differing_boards=60, difference=0.5, standard_error=0.1, interval=None, superiority=0.9,
        normalised_elo=40.0, llr=3.0, bounds=(-2.9, 2.9), elo0=elo0, elo1=elo1, alpha=0.05, beta=0.05, faults={},
        seed="00" * 32,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("decision", "elo0", "elo1", "sentence"),
    [
        (SprtDecision.BETTER, 0, 50, "new is better than old: elo1 = 50 is accepted against elo0 = 0."),
        (
            SprtDecision.BETTER,
            -5,
            5,
            "new is more likely better than old by 5 than worse by 5 of normalised Elo: "
            "elo1 = 5 is accepted against elo0 = -5.",
        ),
        (
            SprtDecision.NOT_BETTER,
            0,
            50,
            "new is not better than old by as much as asked for: elo0 = 0 is accepted against elo1 = 50.",
        ),
        (
            SprtDecision.NOT_WORSE,
            -1500,
            -500,
            "new is not worse than old by as much as 1500 of normalised Elo: "
            f"elo1 = -500 is accepted against elo0 = -1500. {NOT_SHOWN}",
        ),
        (SprtDecision.WORSE, -50, 0, "new is worse than old: elo0 = -50 is accepted against elo1 = 0."),
        (
            SprtDecision.OPEN,
            -50,
            0,
            "Not decided after 64 boards between elo0 = -50 and elo1 = 0: "
            "play more of them (--boards), or ask for a larger --elo1.",
        ),
    ],
)
def test_the_sentence_says_what_was_accepted(decision: SprtDecision, elo0: float, elo1: float, sentence: str) -> None:
    assert verdict(result(decision, elo0, elo1)) == sentence


def test_each_hypothesis_is_named_for_programs() -> None:
    accepted = {decision.value: decision.accepted for decision in SprtDecision}
    assert accepted == {"better": "elo1", "not better": "elo0", "not worse": "elo1", "worse": "elo0", "open": None}
