"""A recorded match, moment by moment, and one recorded decision as its seat saw it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from pigpen.rules import PRESETS, Card, Phase
from referee.records.file import read_record
from referee.records.lines import DealLine, Step
from referee.records.recorded import BadRecord, Deals, Recorded
from referee.records.steps import action_of
from referee.replay.deal_replay import Cursor, DealReplay, NoDecision, decision_at, decisions
from tests.referee.bots import moon_lines, showy_seats
from tests.referee.recorded import OF_VERSION_1, faulty_seats, honest_seats, match_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.seats.seat import Seat


@pytest.fixture(scope="module")
def recorded() -> Recorded:
    return Recorded.of(match_lines("hearts", "boards:2"))


def walk(cursor: Cursor, step: Callable[[], bool]) -> list[tuple[int, int]]:
    """The places on the way until there is none further."""
    places = [(cursor.deal, cursor.moment)]
    while step():
        places.append((cursor.deal, cursor.moment))
    return places


def test_card_by_card_one_comes_through_every_moment_of_every_deal_and_back(recorded: Recorded) -> None:
    cursor = Cursor(recorded)
    forward = walk(cursor, cursor.forward)
    assert len(forward) == len(set(forward)) > 8 * 52
    assert forward == sorted(forward)
    assert walk(cursor, cursor.back) == forward[::-1]
    assert (cursor.deal, cursor.moment) == (0, 0)


def test_trick_by_trick_one_comes_through_every_stop_and_back(recorded: Recorded) -> None:
    cursor = Cursor(recorded)
    forward = walk(cursor, cursor.next_trick)
    assert [moment for deal, moment in forward if deal == 0] == [0, 1, *range(5, 54, 4), 54]
    assert walk(cursor, cursor.previous_trick) == forward[::-1]


def test_from_inside_a_trick_one_goes_to_its_end_or_to_the_end_of_the_one_before(recorded: Recorded) -> None:
    cursor = Cursor(recorded)
    cursor.moment = 11
    assert cursor.next_trick()
    assert cursor.moment == 13
    cursor.moment = 11
    assert cursor.previous_trick()
    assert cursor.moment == 9


def test_deal_by_deal_one_comes_to_the_beginning_of_each(recorded: Recorded) -> None:
    cursor = Cursor(recorded, 5)
    cursor.moment = 20
    assert walk(cursor, cursor.next_deal) == [(5, 20), (6, 0), (7, 0)]
    assert walk(cursor, cursor.previous_deal) == [(place, 0) for place in range(7, -1, -1)]
    assert cursor.replay.line == recorded.deals[0]


def test_home_and_end_are_the_cards_as_dealt_and_the_result(recorded: Recorded) -> None:
    cursor = Cursor(recorded)
    assert cursor.last()
    assert cursor.replay.is_result(cursor.moment)
    assert not cursor.last()
    assert cursor.first()
    assert cursor.moment == 0
    assert not cursor.first()


def test_the_faults_are_found_one_after_the_other() -> None:
    recorded = Recorded.of(match_lines("hearts", "deals:2", faulty_seats))
    blamed = [step.why for line in recorded.deals for step in line.steps if step.why]
    cursor, found = Cursor(recorded), []
    while cursor.next_fault():
        found += [step.why for step, _, _ in cursor.replay.moments[cursor.moment].done if step.why]
    assert found == blamed
    assert len(found) > 3
    cursor = Cursor(recorded)
    assert cursor.next_fault(1)
    assert not cursor.next_fault(1)
    assert not Cursor(recorded).next_fault(2)


def test_faults_of_later_deals_are_found_from_an_earlier_one(recorded: Recorded) -> None:
    deal = recorded.deals[6]
    steps = (*deal.steps[:9], deal.steps[9].model_copy(update={"why": "as the script says"}), *deal.steps[10:])
    deals = (*recorded.deals[:6], deal.model_copy(update={"steps": steps}), recorded.deals[7])
    cursor = Cursor(Recorded(recorded.first, recorded.rules, Deals.of(deals), None), 2)
    cursor.moment = 50
    assert cursor.next_fault()
    assert (cursor.deal, cursor.moment) == (6, 7)
    assert cursor.replay.line == deals[6]


def test_a_record_that_has_grown_is_taken_up_where_one_is(recorded: Recorded) -> None:
    cursor = Cursor(Recorded(recorded.first, recorded.rules, recorded.deals[4:5], None))
    cursor.moment = 7
    assert not cursor.next_deal()
    cursor.renew(recorded)
    assert recorded.deals[cursor.deal].name == "board 2, rotation 1"
    assert cursor.moment == 7
    assert cursor.next_deal()


def test_another_match_in_the_same_file_is_refused(recorded: Recorded) -> None:
    cursor = Cursor(recorded)
    for other in (
        Recorded.of(match_lines("gongzhu", "boards:2")),
        Recorded(recorded.first, recorded.rules, Deals(), None),
    ):
        with pytest.raises(BadRecord, match="another match now"):
            cursor.renew(other)


def test_a_deal_that_breaks_the_rules_is_refused_when_one_comes_to_it(recorded: Recorded) -> None:
    broken = recorded.deals[1].model_copy(update={"steps": recorded.deals[1].steps[1:]})
    cursor = Cursor(Recorded(recorded.first, recorded.rules, Deals.of((recorded.deals[0], broken)), None))
    with pytest.raises(BadRecord, match="board 1, rotation 2: "):
        cursor.next_deal()
    assert cursor.deal == 0


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


def decision_recorded(rules: str = "hearts", form: str = "deals:2") -> Recorded:
    return Recorded.of(match_lines(rules, form, showy_seats))


@pytest.mark.parametrize("rules", PRESETS)
def test_every_step_is_a_decision_or_was_forced(rules: str) -> None:
    match = decision_recorded(rules, "boards:1")
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
    match = decision_recorded()
    one = decision_at(match, match.deals[0], 3)
    assert (one.at, one.view().phase, one.view().seat) == ("pass", Phase.PASS, 2)
    assert [step.seat for step in one.together] == [0, 1, 2, 3]
    card = next(each for each in decisions(match, match.deals[1]) if each.before.phase is Phase.PLAY and each.bot == 1)
    assert card.view().seat == 1
    assert card.view().totals == match.deals[0].totals
    assert card.at == f"trick {len(card.before.plays) // 4 + 1}"


def test_what_was_done_leads_to_the_recorded_score() -> None:
    match = decision_recorded("gongzhu")
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
    match = decision_recorded()
    unfinished = Recorded(match.first, match.rules, match.deals, None)
    line = match.deals[0]
    one, other = list(decisions(match, line))[:2]
    assert len({one.seed("a"), one.seed("b"), other.seed("a")}) == 3
    assert decision_at(unfinished, line, one.number).seed("a") == one.seed("a")


def test_a_step_that_is_not_there_or_was_forced_is_refused_in_words() -> None:
    match = decision_recorded()
    line = match.deals[0]
    with pytest.raises(NoDecision, match=f"deal 1 has no step 999; .* {len(line.steps)}"):
        decision_at(match, line, 999)
    forced = next(number for number, step in enumerate(line.steps, 1) if step.by == "forced")
    with pytest.raises(NoDecision, match=f"step {forced} .* was forced: "):
        decision_at(match, line, forced)
