"""A recorded deal goes through the engine again, moment by moment."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from pigpen.rules import PRESETS, Card, Phase
from referee.records.lines import DealLine, Step
from referee.records.recorded import BadRecord, Recorded
from referee.replay.deal_replay import DealReplay
from tests.referee.bots import showy_seats
from tests.referee.recorded import faulty_seats, honest_seats, match_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.seats.seat import Seat


def replays(
    rules: str, form: str = "deals:2", make_seats: Callable[[int], list[Seat]] = showy_seats
) -> list[DealReplay]:
    recorded = Recorded.of(match_lines(rules, form, make_seats))
    return [DealReplay(recorded.rules, recorded.first, line) for line in recorded.deals]


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("form", ["game", "boards:1"])
def test_every_deal_of_every_variant_ends_with_the_recorded_scores(rules: str, form: str) -> None:
    for replay in replays(rules, form):
        assert replay.moments[-1].deal.scores() == replay.line.scores
        assert replay.is_result(len(replay.moments) - 1)
        assert [step for moment in replay.moments for step, _, _ in moment.done] == list(replay.line.steps)


def test_sealed_answers_are_one_moment_and_each_card_is_one() -> None:
    replay = replays("hearts")[0]
    assert [len(moment.done) for moment in replay.moments[:4]] == [0, 4, 1, 1]
    cards = [moment for moment in replay.moments if moment.done and moment.done[0][0].play]
    assert len(cards) == 52
    assert sum(moment.ends_trick for moment in replay.moments) == 13


def test_each_step_comes_with_its_times() -> None:
    replay = replays("gongzhu")[0]
    timed = [took for moment in replay.moments for _, took, _ in moment.done]
    assert [round(took * 1000, 3) for took in timed] == list(replay.line.took_ms)


def test_the_stops_are_what_comes_before_the_tricks_each_full_trick_and_the_result() -> None:
    replay = replays("hearts")[0]
    assert replay.stops[:4] == (0, 1, 5, 9)
    assert len(replay.stops) == 2 + 13 + 1
    assert replay.stops[-1] == len(replay.moments) - 1


def test_whoever_took_the_card_leads_the_next_deal_of_a_game() -> None:
    deals, pig, opening = replays("gongzhu", "game", honest_seats), Card.parse("QS").mask, Card.parse("2S").mask
    leads_without_opening = 0
    for first, second in pairwise(deals):
        start = next(moment.deal for moment in second.moments if moment.deal.phase is Phase.PLAY)
        assert [bool(taken & pig) for taken in first.moments[-1].deal.taken].index(True) == start.turn
        leads_without_opening += not start.hands[start.turn] & opening
    assert leads_without_opening > 0


def test_totals_before_are_those_of_whoever_sits_there_now() -> None:
    first, second = replays("hearts")
    assert first.totals_before == (0, 0, 0, 0)
    assert second.totals_before == first.line.totals


def changed(steps: tuple[Step, ...]) -> DealReplay:
    recorded = Recorded.of(match_lines("hearts", "deals:1"))
    line: DealLine = recorded.deals[0].model_copy(update={"steps": steps, "took_ms": (0.0,) * len(steps)})
    return DealReplay(recorded.rules, recorded.first, line)


def test_a_deal_that_breaks_the_rules_is_refused_with_the_reason() -> None:
    steps = Recorded.of(match_lines("hearts", "deals:1")).deals[0].steps
    for bad, reason in {
        steps[:-1]: "deal 1: it ends in the middle",
        (*steps, steps[-1]): "deal 1: it has steps after its end",
        (steps[0], *steps): "deal 1: seat 0 is not asked now",
        (*steps[:4], steps[8].model_copy(update={"seat": steps[4].seat})): "deal 1: .* is not in the hand",
        (Step(seat=0, by="bot"), *steps[1:]): "deal 1: the step holds no action",
    }.items():
        with pytest.raises(BadRecord, match=reason):
            changed(bad)


def test_faults_and_default_actions_replay_as_well() -> None:
    recorded = Recorded.of(match_lines("hearts", "deals:1", faulty_seats))
    replay = DealReplay(recorded.rules, recorded.first, recorded.deals[0])
    assert replay.moments[-1].deal.scores() == recorded.deals[0].scores
