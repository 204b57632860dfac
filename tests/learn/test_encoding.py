"""Actions as numbers; a seat's knowledge as numbers."""

from __future__ import annotations

import hashlib
from itertools import combinations, product
from random import Random

import numpy as np
import pytest

from pigpen.learn import VERSION, Encoding, Steps, actions_of
from pigpen.rules import (
    CARDS,
    PRESETS,
    Action,
    Card,
    Deal,
    Face,
    IllegalAction,
    MoonChoice,
    Phase,
    Rules,
    cards_in,
    mask_of,
)
from pigpen.rules.cards import parse_cards
from tests.learn.hidden import with_hidden_cards_exchanged
from tests.rules.players import any_action, lumpy_deal, walk
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
    with pytest.raises(IllegalAction, match=f"action {action} is not legal.*: 49, 52"):
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


def packed(encoding: Encoding, deal: Deal, seat: int) -> tuple[int, ...]:
    return encoding.observe(deal.view(seat))


def planes(encoding: Encoding, deal: Deal, seat: int) -> dict[str, str]:
    """The planes that are not empty, as cards."""
    words = packed(encoding, deal, seat)[:-2]
    return {name: " ".join(map(str, cards_in(word))) for name, word in zip(encoding.planes, words, strict=True) if word}


def features(encoding: Encoding, deal: Deal, seat: int) -> dict[str, int]:
    """The features that are not zero."""
    unpacked = encoding.unpack(np.array(packed(encoding, deal, seat), dtype=np.uint64))
    values = unpacked[len(CARDS) * len(encoding.planes) :].tolist()
    return {name: value for name, value in zip(encoding.features, values, strict=True) if value}


def two_tricks() -> Deal:
    """Hearts, not passed: the second trick has two cards, of which one does not follow; seat 3 is to play."""
    rules = PRESETS["hearts"]
    hands = ["2C 9C KD", "5C 4D 2D", "AC 3D 5D", "7C TC JC"]
    dealt = [parse_cards(hand.split()) for hand in hands]
    rest = iter(cards_in(rules.plan.deck_mask & ~sum(dealt)))
    deal = Deal(rules, [hand | mask_of(next(rest) for _ in range(10)) for hand in dealt], number=3)
    for card in ["2C", "5C", "AC", "7C"]:
        deal.apply(deal.turn, Card.parse(card))
    deal.apply(2, Card.parse("3D"))
    return deal


def test_the_planes_of_a_position_are_what_the_seat_sees() -> None:
    encoding, deal = Encoding("hearts"), two_tricks()
    found = planes(encoding, deal, deal.turn)
    assert deal.turn == 3
    assert {name: cards for name, cards in found.items() if name not in ("hand", "legal")} == {
        "table": "3D",
        "led": "2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD",
        "winning": "3D",
        "played_0": "7C",
        "played_1": "2C",
        "played_2": "5C",
        "played_3": "AC 3D",
        "taken_3": "2C 5C 7C AC",
    }
    assert found["hand"] == " ".join(map(str, cards_in(deal.hands[3])))
    assert found["legal"] == " ".join(map(str, deal.legal(3)))


def test_the_features_of_a_position_are_what_the_seat_sees() -> None:
    encoding, deal = Encoding("hearts"), two_tricks()
    assert features(encoding, deal, 3) == {"phase_play": 1, "pass_to_0": 1}
    deal.apply(3, deal.legal(3)[0])
    assert str(CARDS[deal.plays[-1]]) == "TC", "seat 3 was dealt no diamond"
    assert features(encoding, deal, 0) == {"phase_play": 1, "pass_to_0": 1, "void_3_diamonds": 1}


def test_a_step_of_a_pass_shows_what_is_chosen_already() -> None:
    rules = PRESETS["hearts"]
    encoding, deal = Encoding(rules), lumpy_deal(rules, Random(1))
    deal = Deal(rules, deal.dealt, number=0)
    steps = Steps(rules, deal.phase, deal.legal_mask(2))
    first = int(cards_in(deal.hands[2])[4])
    steps.take(first)
    words = dict(zip(encoding.planes, encoding.observe(deal.view(2), steps), strict=False))
    assert (words["hand"], words["legal"], words["chosen"]) == (
        deal.hands[2], deal.hands[2] & ~(1 << first), 1 << first,
    )  # fmt: skip
    assert features(encoding, deal, 2) == {"phase_pass": 1, "pass_to_1": 1}


def test_cards_that_lie_face_down_are_a_number_to_others_and_cards_to_their_owner() -> None:
    rules = PRESETS["gongzhu-sale"]
    hands = [parse_cards([suit]) for suit in ("clubs", "diamonds", "hearts", "spades")]
    deal = Deal(rules, hands, leader=1)
    pig, ten = Card.parse("QS"), Card.parse("TC")
    for seat, answer in ((0, {ten: Face.UP}), (1, {}), (2, {}), (3, {pig: Face.DOWN})):
        deal.apply(seat, answer)
    encoding = Encoding(rules)
    assert "exposed_2" not in planes(encoding, deal, 1)
    assert planes(encoding, deal, 1)["exposed_3"] == "TC"
    assert features(encoding, deal, 1) == {"phase_play": 1, "pass_to_0": 1, "leader_0": 1, "hidden_2": 1}
    own = planes(encoding, deal, 3)
    assert (own["exposed_0"], own["face_down"]) == ("QS", "QS")


@every_variant
def test_exchanging_hidden_cards_changes_nothing(rules: Rules) -> None:
    """C-9: sealed answers, hands, passed cards and cards exposed face down of other seats never enter."""
    encoding, rng, exchanged = Encoding(rules), Random(3), 0
    for _ in range(6):
        for deal in walk(lumpy_deal(rules, rng), rng):
            for seat in deal.to_act:
                twin = with_hidden_cards_exchanged(deal, seat, rng)
                exchanged += twin.hands != deal.hands
                assert packed(encoding, deal, seat) == packed(encoding, twin, seat)
    assert exchanged > 100 or rules.players == 2  # of two, each knows what the other one holds


@every_variant
def test_an_observation_unpacks_to_its_bits_and_counts(rules: Rules) -> None:
    encoding, rng = Encoding(rules), Random(4)
    for deal in walk(lumpy_deal(rules, rng), rng):
        for seat in deal.to_act:
            words = packed(encoding, deal, seat)
            flat = encoding.unpack(np.array([words], dtype=np.uint64))[0]
            shown, rest = flat[: -len(encoding.features)].reshape(-1, 52), flat[-len(encoding.features) :]
            assert [mask_of(np.flatnonzero(plane).tolist()) for plane in shown] == list(words[:-2])
            view = deal.view(seat)
            assert rest[-rules.players :].tolist() == [
                view.hidden[(seat + place) % rules.players] for place in range(rules.players)
            ]
            assert rest[:4].tolist() == [view.phase is phase for phase in list(Phase)[:4]]
            assert rest[4 : 4 + rules.players].argmax() == (view.pass_to - seat) % rules.players


@every_variant
def test_the_mask_is_the_legal_actions(rules: Rules) -> None:
    encoding, rng = Encoding(rules), Random(5)
    for deal in walk(lumpy_deal(rules, rng), rng):
        for seat in deal.to_act:
            view = deal.view(seat)
            steps = Steps(rules, view.phase, view.legal_mask)
            while steps.answer is None:
                words = np.array(encoding.observe(view, steps), dtype=np.uint64)
                assert tuple(np.flatnonzero(encoding.mask(words)).tolist()) == steps.legal()
                steps.take(rng.choice(steps.legal()))


@every_variant
def test_a_decision_is_encoded_as_the_steps_that_lead_to_it(rules: Rules) -> None:
    encoding, rng = Encoding(rules), Random(6)
    for deal in walk(lumpy_deal(rules, rng), rng):
        for seat in deal.to_act:
            view, answer = deal.view(seat), any_action(deal, seat, rng)
            pairs = list(encoding.steps(view, answer))
            assert bool(pairs) != deal.is_forced(seat)
            for words, action in pairs:
                assert encoding.mask(np.array(words, dtype=np.uint64))[action] == 1


GOLDEN = {
    "hearts-short": "e8d0350738f7ae50",
    "hearts": "b974e965442be810",
    "hearts-jack": "b974e965442be810",
    "gongzhu": "c6b390fbd59c7036",
    "gongzhu-partners": "c6b390fbd59c7036",
    "gongzhu-five": "7de46cdd4588ea97",
    "gongzhu-sale": "83f9134930dd34e3",
    "chinese-hearts": "5c3ad1ac319915d3",
}


def test_version_1_stays_what_it_is() -> None:
    """A change of a number's place or meaning needs another version: trained nets and stored data count on it."""
    assert VERSION == 1
    found = {}
    for rules in PRESETS.values():
        encoding, rng, digest = Encoding(rules), Random(7), hashlib.sha256()
        for _ in range(4):
            for deal in walk(lumpy_deal(rules, rng), rng):
                for seat in deal.to_act:
                    for words, action in encoding.steps(deal.view(seat), any_action(deal, seat, rng)):
                        digest.update(np.array([*words, action], dtype="<u8").tobytes())
        found[rules.name] = digest.hexdigest()[:16]
    assert found == GOLDEN


def test_an_unknown_preset_is_named() -> None:
    with pytest.raises(ValueError, match=r"no preset 'bridge'.* hearts-short"):
        Encoding("bridge")
