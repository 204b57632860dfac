"""Messages to a person's browser in whole games."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, get_args
from unittest.mock import Mock

import pytest

from ladder.people.sessions.person_state_tracker import PersonStateTracker
from ladder.people.sessions.table_info import TableInfo
from ladder.values.person_state import PersonState, Phrase
from pigpen import View
from pigpen.rules import PRESETS, Deal, Phase, deal_hands
from pigpen.values.notices import FaultNotice
from pigpen.values.view import Seen
from referee.records.lines import DealLine
from tests.ladder.people.sessions.states import game_of
from tests.rules.table import named

if TYPE_CHECKING:
    from pigpen.rules import Rules

every_preset = pytest.mark.parametrize("rules", PRESETS.values(), ids=named)


@every_preset
def test_a_game_is_shown_from_the_first_card_to_the_end(rules: Rules) -> None:
    states, lines = game_of(rules)
    assert all(one.number < other.number for one, other in pairwise(states))
    played = [line for line in lines if isinstance(line, DealLine)]
    results = {state.result.deal: state.result for state in states if state.result}
    assert [(each.scores, each.totals) for each in results.values()] == [(line.scores, line.totals) for line in played]
    for result in results.values():
        assert tuple(sum(part.points for part in parts) for parts in result.parts) == result.scores
    last = states[-1]
    assert (last.status, last.away, last.question) == ("over", False, None)
    assert last.over is not None
    assert last.over.totals == played[-1].totals
    assert [(row.scores, row.totals) for row in last.sheet] == [(line.scores, line.totals) for line in played]
    asked = [state.question for state in states if state.question]
    assert len({question.decision for question in asked}) == sum(
        step.by == "bot" and step.seat == 0 for line in played for step in line.steps
    )


@every_preset
def test_every_card_of_a_deal_is_shown_once_and_the_last_trick_adds_up(rules: Rules) -> None:
    states, _ = game_of(rules, deals=1)
    cards = [
        state.moment.steps[-1].action for state in states if state.moment and state.moment.trick and not state.result
    ]
    assert len(dict.fromkeys(cards)) == len(rules.deck)
    tricks = {state.last_trick.cards: state.last_trick for state in states if state.last_trick}
    assert len(tricks) == rules.hand_size
    for state in states:
        if state.moment and state.last_trick and state.moment.complete:
            assert state.last_trick.cards == state.moment.cards
            assert state.last_trick.winner == state.moment.winning


@pytest.mark.parametrize("by", ["", "away", "default:timeout"])
def test_a_card_that_was_played_for_the_person_is_marked_as_such(by: str) -> None:
    rules, states = PRESETS["gongzhu"], list[PersonState]()
    deal = Deal(rules, deal_hands(rules, bytes(32), 0))
    tracker = PersonStateTracker(states.append, TableInfo({}))

    def see(away: bool = False) -> None:
        view = View(*deal.known_to(0), totals=(0,) * 4, decision=1, limit=30.0)
        tracker.saw(Seen(view, ("you", "b", "c", "d"), away))

    see()
    while deal.phase is not Phase.OVER and not (deal.phase is Phase.PLAY and deal.to_act == (0,)):
        seat = deal.to_act[0]
        deal.apply(seat, deal.default_action(seat))
        see()
    if by == "default:timeout":
        tracker.notified(FaultNotice("timeout", "no answer within 30.000 s", 1, takeover=False))
    deal.apply(0, deal.default_action(0))
    see(away=by == "away")
    deal.apply(deal.to_act[0], deal.default_action(deal.to_act[0]))
    see(away=by == "away")
    newest = [state.moment.steps[0] for state in states if state.moment and state.moment.steps]
    assert [(step.seat == 0, step.by) for step in newest[-2:]] == [(True, by), (False, "")]


@every_preset
def test_only_the_own_hand_is_shown_and_each_card_that_may_not_be_played_says_why(rules: Rules) -> None:
    states, _ = game_of(rules)
    for state in states:
        if state.moment is None or state.deal is None:
            continue
        for seat, viewed in enumerate(state.moment.seats):
            hand = set(viewed.hand)
            if seat != state.deal.seat:
                passed = set(state.moment.seats[state.deal.seat or 0].passed)
                assert hand <= passed | set(viewed.exposed)
                assert not viewed.legal
            elif state.question and state.question.kind == "play":
                assert set(map(str, hand)) == set(map(str, state.question.legal)) | state.question.why.keys()
                assert all(barred.bar != "other" for barred in state.question.why.values())


def test_notices_of_a_new_start_have_greater_numbers_than_those_that_a_page_has_shown() -> None:
    """The page stays while its session ends and begins anew; it leaves out what it takes for shown."""
    shown: list[int] = []
    for start in (1000.0, 1060.0):
        tracker = PersonStateTracker(Mock(), TableInfo({}), clock=Mock(return_value=start))
        for phrase in get_args(Phrase)[:3]:
            tracker.show_phrase("Ben", phrase)
        shown += [notice.number for notice in tracker.state().notices]
    assert len(shown) == 6
    assert shown == sorted(set(shown))
