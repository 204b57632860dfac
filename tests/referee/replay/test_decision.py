"""One recorded decision: found by its place, seen by its seat, and the cards as they lay."""

from __future__ import annotations

import pytest

from pigpen.rules import PRESETS, Phase
from referee.records.file import read_record
from referee.records.recorded import Recorded
from referee.records.steps import action_of
from referee.replay.deal_replay import NoDecision, decision_at, decisions
from tests.referee.bots import moon_lines, showy_seats
from tests.referee.recorded import OF_VERSION_1, match_lines


def recorded(rules: str = "hearts", form: str = "deals:2") -> Recorded:
    return Recorded.of(match_lines(rules, form, showy_seats))


@pytest.mark.parametrize("rules", PRESETS)
def test_every_step_is_a_decision_or_was_forced(rules: str) -> None:
    match = recorded(rules, "boards:1")
    for line in match.deals:
        found = {each.number: each for each in decisions(match, line)}
        forced = {number for number, step in enumerate(line.steps, 1) if step.by == "forced"}
        assert found.keys() | forced == {*range(1, len(line.steps) + 1)}
        assert not found.keys() & forced
        for number, each in found.items():
            assert each.step == line.steps[number - 1]
            assert each.bot == (line.seats or range(8))[each.seat]
            assert each.name == match.first.bots[each.bot]


def test_where_only_one_action_was_legal_there_was_no_decision_even_if_the_bot_was_asked() -> None:
    match = Recorded.of(read_record(OF_VERSION_1))
    for line in match.deals:
        assert all(not each.before.is_forced(each.seat) for each in decisions(match, line))
        assert len(list(decisions(match, line))) < len(line.steps)


def test_the_view_is_that_of_the_seat_before_anybody_answered() -> None:
    match = recorded()
    one = decision_at(match, match.deals[0], 3)
    assert (one.at, one.view().phase, one.view().seat) == ("pass", Phase.PASS, 2)
    assert [step.seat for step in one.together] == [0, 1, 2, 3]
    card = next(each for each in decisions(match, match.deals[1]) if each.before.phase is Phase.PLAY and each.bot == 1)
    assert card.view().seat == 1
    assert card.view().totals == match.deals[0].totals
    assert card.at == f"trick {len(card.before.plays) // 4 + 1}"


def test_what_was_done_leads_to_the_recorded_score() -> None:
    match = recorded("gongzhu")
    line = match.deals[0]
    for each in decisions(match, line):
        first = each.number - 1 - each.together.index(each.step)
        deal = each.after(action_of(each.step))
        for step in line.steps[first + len(each.together) :]:
            deal.apply(step.seat, action_of(step))
        assert deal.scores() == line.scores


def test_the_moon_choice_is_a_decision() -> None:
    match = Recorded.of(moon_lines())
    line = match.deals[2]
    last = decision_at(match, line, len(line.steps))
    assert (last.at, last.chosen) == ("moon", "add")


def test_seeds_differ_by_place_and_purpose_and_need_no_match_seed() -> None:
    match = recorded()
    unfinished = Recorded(match.first, match.rules, match.deals, None)
    line = match.deals[0]
    one, other = list(decisions(match, line))[:2]
    assert len({one.seed("a"), one.seed("b"), other.seed("a")}) == 3
    assert decision_at(unfinished, line, one.number).seed("a") == one.seed("a")


def test_a_step_that_is_not_there_or_was_forced_is_refused_in_words() -> None:
    match = recorded()
    line = match.deals[0]
    with pytest.raises(NoDecision, match=f"deal 1 has no step 999; its steps are 1 to {len(line.steps)}"):
        decision_at(match, line, 999)
    forced = next(number for number, step in enumerate(line.steps, 1) if step.by == "forced")
    with pytest.raises(NoDecision, match=f"step {forced} of deal 1 was forced: .* was the only legal action"):
        decision_at(match, line, forced)
