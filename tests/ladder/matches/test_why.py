"""A recorded decision with its estimate, the house bots' choices and hindsight; a bot's costliest decisions."""

from __future__ import annotations

from functools import cache

import pytest

from ladder.matches import house
from ladder.matches.house import QUICK_BOTS, SEARCHING_BOTS, house_choices
from ladder.matches.why import costliest_of, first_cost, rerun_line, unforced, why_of
from ladder.sandbox.bots.bot_source import sample_names
from pigpen import Bot, View, is_accelerated
from pigpen.bot import decide
from pigpen.rules import PRESETS, Action, Phase
from referee.records.recorded import Recorded
from referee.replay.deal_replay import decisions
from tests.ladder.ladders import played
from tests.referee.bots import moon_lines

HOUSE = QUICK_BOTS + SEARCHING_BOTS if is_accelerated() else QUICK_BOTS
TELLING = ("hearts", "gongzhu-partners", "gongzhu-five", "gongzhu-sale")
"""Presets that have, together, every kind of question and of table."""
ASKED = [name if name in TELLING else pytest.param(name, marks=pytest.mark.long) for name in PRESETS]


@cache
def match(rules: str = "hearts", sinner: int | None = None) -> Recorded:
    return Recorded.of(played(rules, sinner=sinner))


@pytest.mark.parametrize("rules", ASKED)
def test_what_was_done_is_marked_and_the_house_bots_choose_among_what_is_told(
    rules: str, request: pytest.FixtureRequest
) -> None:
    if rules != "hearts":
        request.getfixturevalue("few_playouts")
    one = match(rules)
    found = [*decisions(one, one.deals[0])]
    middle = found[len(found) // 2]
    opinions = [why_of(decision, "17") for decision in (found[0], middle, found[-1])]
    for decision, of_decision in zip((found[0], middle, found[-1]), opinions, strict=True):
        (done,) = [choice for choice in of_decision.choices if choice.chosen]
        assert (done.choice, of_decision.chosen) == (decision.chosen, decision.chosen)
        assert (of_decision.cost, of_decision.cost_error) == (done.behind, done.behind_error)
        assert sorted(name for choice in of_decision.choices for name in choice.house) == sorted(HOUSE)
        assert of_decision.choices[0].behind == 0
        assert (of_decision.step, of_decision.bot, of_decision.seat) == (
            decision.number,
            decision.name,
            decision.step.seat,
        )
        assert of_decision.scored == one.deals[0].scores[decision.seat]
        assert of_decision.opinion.startswith("A model's opinion: ")
        assert ("tree" in of_decision.opinion) == (of_decision.search == "tree")
        is_searched = is_accelerated() and decision.before.phase is Phase.PLAY
        assert of_decision.search == ("tree" if is_searched else "playouts")
        assert of_decision.legal >= len(of_decision.choices) >= 2
    assert why_of(middle, "17") == opinions[1]


@pytest.mark.usefixtures("few_playouts")
def test_a_sample_bot_does_again_what_it_did_in_the_match() -> None:
    one = match("gongzhu")
    bots = {name: number for number, name in enumerate(one.first.bots)}
    for name in QUICK_BOTS:
        for decision in unforced(one, one.deals[:2], {bots[name]}):
            assert house_choices(decision.view)[name] == decision.chosen


def test_all_sample_bots_in_python_but_random_are_house_bots() -> None:
    assert {*QUICK_BOTS, *SEARCHING_BOTS, "random", "node"} == {*sample_names()}


def test_without_the_engine_in_c_the_bots_that_simulate_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(house, "is_fast", lambda view: False)
    one = match()
    assert house_choices(next(decisions(one, one.deals[0])).view).keys() == {*QUICK_BOTS}


@pytest.mark.skipif(not is_accelerated(), reason="bots that simulate are not asked without the engine in C")
@pytest.mark.usefixtures("few_playouts")
def test_bots_that_pass_by_the_same_method_are_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def note(bot: Bot, view: View) -> Action:
        asked.append(type(bot).__name__)
        return decide(bot, view)

    monkeypatch.setattr(house, "decide", note)
    one = match()
    first, *_, last = decisions(one, one.deals[0])
    assert (first.before.phase, last.before.phase) == (Phase.PASS, Phase.PLAY)
    for decision in (first, last):
        house_choices(decision.view)
    assert asked == ["Cautious", "Counting", "Sampling", "Cautious", "Counting", "Sampling", "Exact", "Tree"]


@pytest.mark.usefixtures("few_playouts")
def test_hindsight_of_the_last_decision_is_the_recorded_score() -> None:
    one = Recorded.of(moon_lines())
    *_, last = decisions(one, one.deals[2])
    of_decision = why_of(last, "17")
    assert {choice.choice: choice.as_dealt for choice in of_decision.choices} == {"subtract": -26.0, "add": 0.0}
    (done,) = [choice for choice in of_decision.choices if choice.chosen]
    assert done.as_dealt == of_decision.scored


def test_only_what_a_bot_was_asked_for_can_be_dear() -> None:
    one = match("hearts", sinner=1)
    sinner = [*unforced(one, one.deals, {1})]
    assert {decision.step.by for decision in sinner} == {"default:malformed"}
    assert {decision.bot for decision in unforced(one, one.deals, {0, 2})} == {0, 2}


@pytest.mark.usefixtures("few_playouts")
def test_the_costliest_come_first_and_are_those_of_why() -> None:
    one = match()
    candidates = [(first_cost(decision) or 0.0, decision, "17") for decision in unforced(one, one.deals[:1], {1})]
    found = costliest_of(candidates, 2)
    assert len(found) == 2
    assert [each.cost for each in found] == sorted((each.cost for each in found), reverse=True)
    assert found[0].cost > found[0].cost_error > 0
    by_place = {(decision.line.name, decision.number): decision for _, decision, _ in candidates}
    assert why_of(by_place[found[0].place, found[0].step], "17") == found[0]


@pytest.mark.usefixtures("few_playouts")
def test_what_cost_nothing_is_not_dear() -> None:
    one = match()
    best = next(decision for decision in unforced(one, one.deals[:1], {2}) if not why_of(decision, "17").cost)
    assert costliest_of([(0.0, best, "17")], 5) == []
    assert costliest_of([(1.0, best, "17")], 5) == []


def test_the_rerun_line_can_be_pasted() -> None:
    assert rerun_line("my match.jsonl", "Trotter#2", "deal 6") == (
        "pigpen rerun 'my match.jsonl' 'Trotter#2' FOLDER --deal 6"
    )
    assert rerun_line("17", "2", "board 4, rotation 2", "./trotter") == (
        "pigpen rerun 17 2 ./trotter --board 4 --rotation 2"
    )
