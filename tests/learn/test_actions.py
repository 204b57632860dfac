"""Actions as numbers."""

from __future__ import annotations

from itertools import combinations, product
from random import Random

import pytest

from pigpen.learn import Encoding, Steps, actions_of
from pigpen.rules import CARDS, PRESETS, Action, Card, Deal, Face, IllegalAction, MoonChoice, Phase, Rules, cards_in
from tests.rules.players import lumpy_deal, walk
from tests.rules.table import ODD, named

every_variant = pytest.mark.parametrize("rules", [*PRESETS.values(), *ODD], ids=named)


def legal_answers(deal: Deal, seat: int) -> list[Action]:
    """Every legal answer, made from the rules and not from actions."""
    cards, rules = deal.legal(seat), deal.rules
    if deal.phase is Phase.PLAY:
        return list(cards)
    if deal.phase is Phase.MOON:
        return list(MoonChoice)
    if deal.phase is Phase.PASS:
        assert rules.passing
        return list(combinations(cards, rules.passing.cards))
    faces = [None, Face.UP, Face.DOWN] if rules.exposing and rules.exposing.face_down else [None, Face.UP]
    return [
        {card: face for card, face in zip(cards, chosen, strict=True) if face}
        for chosen in product(faces, repeat=len(cards))
    ]


def reached(steps: Steps) -> list[tuple[tuple[int, ...], Action]]:
    """Every way to a whole answer: its actions, and the answer."""
    if steps.answer is not None:
        return [((), steps.answer)]
    found = []
    for action in steps.legal():
        twin = object.__new__(Steps)
        twin.__dict__.update(steps.__dict__)
        twin.take(action)
        found += [((action, *rest), answer) for rest, answer in reached(twin)]
    return found


def key(answer: Action) -> object:
    return tuple(sorted(answer.items())) if isinstance(answer, dict) else (type(answer), answer)


@every_variant
def test_actions_and_legal_answers_are_one_to_one(rules: Rules) -> None:
    """Cards of a sealed answer in ascending order; in another order they lead to the same answer."""
    rng, kinds = Random(8), set()
    for _ in range(3):
        for deal in walk(lumpy_deal(rules, rng), rng):
            seat = deal.to_act[0] if deal.to_act else None
            if seat is None or (deal.phase is Phase.PASS and Phase.PASS in kinds):
                continue
            kinds.add(deal.phase)
            legal = deal.legal_mask(seat)
            answers, ways = legal_answers(deal, seat), reached(Steps(rules, deal.phase, legal))
            assert {key(answer) for _, answer in ways} == {key(answer) for answer in answers}
            canonical = {actions_of(answer, legal): key(answer) for answer in answers}
            assert len(canonical) == len(answers)
            found = {actions: key(answer) for actions, answer in ways}
            assert {actions: found[actions] for actions in canonical} == canonical
            for answer in answers[:50]:
                deal.check(seat, answer)
    assert Phase.PLAY in kinds


@every_variant
def test_every_action_is_below_their_number(rules: Rules) -> None:
    rng, count = Random(9), Encoding(rules).actions
    for deal in walk(lumpy_deal(rules, rng), rng):
        for seat in deal.to_act:
            assert max(Steps(rules, deal.phase, deal.legal_mask(seat)).legal()) < count


@pytest.mark.parametrize("action", [0, 53, 54, -1, 106])
def test_an_illegal_action_is_named_and_changes_nothing(action: int) -> None:
    steps = Steps(PRESETS["gongzhu"], Phase.EXPOSE, Card.parse("QS").mask)
    with pytest.raises(IllegalAction, match=f"action {action} is not legal now; legal: 49, 52"):
        steps.take(action)
    assert (steps.legal(), steps.chosen, steps.answer) == ((49, 52), 0, None)


def test_a_complete_answer_takes_no_action() -> None:
    steps = Steps(PRESETS["hearts"], Phase.PLAY, CARDS[7].mask | CARDS[9].mask)
    steps.take(9)
    assert steps.answer == CARDS[9]
    with pytest.raises(IllegalAction, match="legal: none"):
        steps.take(7)


def test_after_a_moon_done_is_the_default() -> None:
    found = {}
    for action in (52, 53):
        steps = Steps(PRESETS["hearts"], Phase.MOON, 0)
        steps.take(action)
        found[action] = steps.answer
    assert found == {52: MoonChoice.SUBTRACT, 53: MoonChoice.ADD}


def test_all_exposable_cards_exposed_need_no_done() -> None:
    steps = Steps(PRESETS["gongzhu-sale"], Phase.EXPOSE, Card.parse("QS").mask)
    steps.take(54 + Card.parse("QS"))
    assert steps.answer == {Card.parse("QS"): Face.DOWN}
    assert list(map(str, cards_in(steps.face_down))) == ["QS"]
