"""Ask why before you play: the same opinion as of a record, from what the seat knows and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ladder.matches.opinion import hint_of
from ladder.matches.why import why_of
from pigpen.rules import PRESETS
from referee.records.recorded import Recorded
from referee.replay.deal_replay import decisions
from tests.ladder.ladders import played


@pytest.mark.parametrize("rules", ["hearts", "gongzhu-sale"])
def test_a_hint_is_what_is_said_of_the_decision_afterwards(rules: str) -> None:
    """The random numbers differ, so the figures agree within their errors."""
    one = Recorded.of(played(rules))
    found = [*decisions(one, one.deals[0])]
    for decision in (found[0], found[len(found) // 2]):
        hint, why = hint_of(decision.view()), why_of(decision, "17")
        assert (hint.legal, hint.low_is_better, hint.opinion) == (why.legal, why.low_is_better, why.opinion)
        by_choice = {each.choice: each for each in why.choices}
        for each in hint.choices:
            if (other := by_choice.get(each.choice)) is not None:
                assert each.house == other.house
                assert each.points == pytest.approx(other.points, abs=6 * (each.points_error + other.points_error) + 1)
        assert hint.choices[0].behind == 0


@pytest.mark.usefixtures("few_playouts")
def test_the_same_question_has_the_same_answer_whatever_the_clock_says() -> None:
    one = Recorded.of(played("hearts"))
    decision = [*decisions(one, one.deals[0])][9]
    view = decision.view()
    assert hint_of(view) == hint_of(replace(decision.view(), limit=30.0, bank=3.0))
    assert view.legal == decision.view().legal


@pytest.mark.usefixtures("few_playouts")
def test_every_variant_can_be_asked() -> None:
    for rules in PRESETS:
        one = Recorded.of(played(rules))
        assert len(hint_of([*decisions(one, one.deals[0])][-1].view()).choices) >= 2
