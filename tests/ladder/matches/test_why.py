"""A recorded decision with its estimate, the house bots' choices and hindsight; the costliest ones; costs by phase."""

from __future__ import annotations

import random
from functools import cache
from statistics import fmean
from typing import TYPE_CHECKING

import pytest

from ladder.matches import house
from ladder.matches.choice_costs import EFFORT, MAX_CARDS, MAX_OTHERS, ChoiceCosts
from ladder.matches.estimate import cost_of, estimates
from ladder.matches.house import QUICK_BOTS, SEARCHING_BOTS, house_choices
from ladder.matches.why import costliest_of, first_cost, rerun_line, unforced, why_of
from ladder.sandbox.bots.bot_source import sample_names
from pigpen import Bot, View, is_accelerated
from pigpen.bot import decide
from pigpen.rules import PRESETS, Action, Phase
from referee.records.recorded import Recorded
from referee.records.steps import BY_TAKEOVER, words_of
from referee.replay.deal_replay import decisions
from tests.ladder.ladders import played
from tests.referee.bots import moon_lines
from tests.referee.recorded import match_lines
from tests.referee.scripted_seats import ScriptedSeat, honest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ladder.values.bot_comparison import PhaseCosts
    from referee.records.lines import DealLine
    from referee.seats.seat import Seat

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


def test_all_sample_bots_in_python_but_random_and_the_anchor_are_house_bots() -> None:
    assert {*QUICK_BOTS, *SEARCHING_BOTS, "random", "uct", "node"} == {*sample_names()}


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


@pytest.mark.usefixtures("few_playouts")
def test_what_cost_no_more_than_its_error_is_not_among_the_costliest() -> None:
    one = match()
    candidates = [(1.0, decision, "17") for decision in unforced(one, one.deals[:1], {1})]
    every = [why_of(decision, "17") for _, decision, _ in candidates]
    unsure = [each for each in every if 0 < each.cost <= each.cost_error]
    found = costliest_of(candidates, len(candidates))
    assert unsure, "the estimates of this test should have few deals"
    assert found == sorted((each for each in every if each.cost > each.cost_error), key=lambda each: -each.cost)
    for each in every:
        marked = {choice.choice for choice in each.choices if choice.is_unsure}
        assert (each.chosen in marked) == (each in unsure)
        assert each.choices[0].choice not in marked


def test_the_rerun_line_can_be_pasted() -> None:
    assert rerun_line("my match.jsonl", "Trotter#2", "deal 6") == (
        "pigpen rerun 'my match.jsonl' 'Trotter#2' FOLDER --deal 6"
    )
    assert rerun_line("17", "2", "board 4, rotation 2", "./trotter") == (
        "pigpen rerun 17 2 ./trotter --board 4 --rotation 2"
    )


BOTS = ("one", "two", "three", "four")


def highest(view: View) -> Action:
    """Play high always: costly in hearts."""
    return max(view.legal, key=lambda card: card.rank) if view.phase is Phase.PLAY else honest(view)


def costly_match(variant: str = "hearts", form: str = "boards:5") -> Recorded:
    def seats(players: int) -> list[Seat]:
        return [ScriptedSeat(highest), *(ScriptedSeat(honest) for _ in range(players - 1))]

    return Recorded.of(match_lines(variant, form, seats))


@pytest.fixture(scope="module")
def recorded() -> Recorded:
    return costly_match()


def costs_of(recorded: Recorded, lines: Iterable[DealLine], bot: str = "one") -> tuple[PhaseCosts, ...]:
    found = ChoiceCosts(bot)
    found.take_all(recorded, lines, "7", BOTS)
    return found.found()


def test_playing_high_gives_away_points_in_the_first_tricks_and_more_than_the_others_do(recorded: Recorded) -> None:
    found = costs_of(recorded, recorded.deals)
    assert [(each.phase, each.first, each.last) for each in found][-3:] == [
        ("play", 1, 4),
        ("play", 5, 9),
        ("play", 10, 13),
    ]
    early = found[-3]
    assert early.others is not None
    assert early.own.mean - early.own.error > early.others.mean + early.others.error > 0
    assert early.own.often <= 4, "a bot has four cards to choose in four tricks"


@pytest.mark.usefixtures("few_playouts")
def test_all_decisions_of_the_bot_count_in_how_often_and_a_part_of_them_is_estimated(recorded: Recorded) -> None:
    found = costs_of(recorded, recorded.deals)
    own = [
        each
        for line in recorded.deals
        for each in decisions(recorded, line, 0)
        if each.before.phase is Phase.PLAY and len(each.before.plays) < 4 * 4
    ]
    assert found[-3].own.often == pytest.approx(len(own) / len(recorded.deals), abs=1e-4)
    assert found[-3].own.estimated == len(own) < MAX_CARDS
    others = [each.others.estimated for each in found if each.others]
    assert max(others) == MAX_CARDS
    assert all(each.own.estimated <= MAX_OTHERS for each in found if each.phase != "play")


@pytest.mark.usefixtures("few_playouts")
def test_the_order_of_the_matches_changes_nothing(recorded: Recorded) -> None:
    assert costs_of(recorded, recorded.deals) == costs_of(recorded, list(recorded.deals)[::-1])


def test_decisions_that_the_bot_did_not_take_itself_are_left_out(recorded: Recorded) -> None:
    lines = [
        line.model_copy(update={"steps": tuple(step.model_copy(update={"by": BY_TAKEOVER}) for step in line.steps)})
        for line in recorded.deals
    ]
    assert costs_of(recorded, lines) == ()


@pytest.mark.usefixtures("few_playouts")
def test_progress_is_told_for_each_part(recorded: Recorded) -> None:
    found, reported = ChoiceCosts("one"), list[tuple[int, int]]()
    found.take_all(recorded, list(recorded.deals)[:1], "7", BOTS)
    found.found(lambda done, steps: reported.append((done, steps)))
    assert reported == [(done, len(reported)) for done in range(1, len(reported) + 1)]
    assert len(reported) >= 3


def test_the_cost_of_a_choice_has_no_bias_from_choosing_the_best_of_several_estimates(recorded: Recorded) -> None:
    decision = next(
        each
        for line in recorded.deals
        for each in decisions(recorded, line)
        if each.before.phase is Phase.PLAY and len(each.view().legal) > 4
    )
    view = decision.view()
    found = estimates(view, 1)
    words = [words_of(each.action)[1] for each in found]
    rng = random.Random(5)
    seeds = [rng.getrandbits(32) for _ in range(30)]
    best, worst = (fmean(cost_of(view, words[place], seed, EFFORT) for seed in seeds) for place in (0, -1))
    assert best == pytest.approx(0, abs=0.2)
    assert worst == pytest.approx(found[-1].behind, abs=found[-1].behind_error + 0.3)
    pooled = fmean(
        next(each.behind for each in estimates(view, seed, EFFORT) if words_of(each.action)[1] == words[0])
        for seed in seeds
    )
    assert pooled > best, "the best of several estimates is too good"
