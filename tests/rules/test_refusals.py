"""Illegal actions are refused with a reason, and then nothing has changed."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from pigpen.rules import CARDS, PRESETS, Action, Card, Deal, DealOver, Face, IllegalAction, MoonChoice, Phase, Rules
from pigpen.rules.presets import GONGZHU, HEARTS
from tests.rules.players import any_action, chances, lumpy_deal, many, presets, somewhere, walk
from tests.rules.table import dealt, expose, mask, named, small, state

if TYPE_CHECKING:
    from collections.abc import Iterator

JUNK: list[Any] = [
    None,
    "QS",
    3,
    -1,
    2.5,
    [],
    [CARDS[0]],
    {CARDS[0]},
    (None, "QS", 2.5),
    ("2C", "3C", "4C"),
    {"QS": Face.UP},
    {None: None},
    True,
    Face.UP,
    b"\x00",
]


def refused(deal: Deal, seat: int) -> Iterator[Any]:
    """Many actions that are none of the legal ones."""
    options = set(deal.legal(seat))
    yield from JUNK
    if deal.phase is not Phase.MOON or seat not in deal.to_act:
        yield MoonChoice.SUBTRACT
    if deal.phase is not Phase.PASS or seat not in deal.to_act:
        yield tuple(sorted(options))[:3]
    else:
        count, hand = deal.view(seat).pass_count, sorted(options)
        strange = next(card for card in CARDS if card not in options)
        yield from ((), tuple(hand[: count - 1]), tuple(hand[: count + 1]), (hand[0],) * count)
        yield (strange, *hand[: count - 1])
    if deal.phase is not Phase.EXPOSE or seat not in deal.to_act:
        yield from ({}, dict.fromkeys(options, Face.UP))
    else:
        held = min(options)
        yield from ({held: 1}, {held: 2}, {held: 7}, {held: None}, {held: "up"}, {held: True})
        yield from ({card: Face.UP} for card in CARDS if card not in options)
        if deal.rules.exposing and not deal.rules.exposing.face_down:
            yield {held: Face.DOWN}
    if deal.phase is not Phase.PLAY:
        yield CARDS[0]
    else:
        yield from (card for card in CARDS if card not in options)


@many
@given(rules=presets, chance=chances)
def test_illegal_actions_are_refused_with_nothing_changed(rules: Rules, chance: Random) -> None:
    deal = somewhere(lumpy_deal(rules, chance), chance)
    before = state(deal)
    for seat in range(-1, rules.players + 1):
        for action in refused(deal, seat):
            with pytest.raises((IllegalAction, DealOver)):
                deal.apply(seat, action)
            with pytest.raises((IllegalAction, DealOver)):
                deal.check(seat, action)
    assert state(deal) == before


@pytest.mark.parametrize("rules", list(PRESETS.values()), ids=named)
def test_after_the_deal_nothing_is_accepted(rules: Rules) -> None:
    *_, deal = walk(lumpy_deal(rules, Random(2)), Random(2))
    before = state(deal)
    answers: tuple[Action, ...] = (CARDS[0], {}, (), MoonChoice.ADD)
    for action in answers:
        with pytest.raises(DealOver):
            deal.apply(0, action)
    with pytest.raises(DealOver):
        deal.play(CARDS[0])
    assert deal.to_act == ()
    assert state(deal) == before


@many
@given(rules=presets, chance=chances)
def test_checking_changes_nothing(rules: Rules, chance: Random) -> None:
    deal = somewhere(lumpy_deal(rules, chance), chance)
    before = state(deal)
    for seat in deal.to_act:
        deal.check(seat, any_action(deal, seat, chance))
    assert state(deal) == before


def test_C_6_a_sealed_answer_cannot_be_changed_afterwards() -> None:
    deal = dealt(GONGZHU, "QS AH", "JD")
    shown = {Card.parse("QS"): Face.UP}
    deal.apply(0, shown)
    shown[Card.parse("AH")] = Face.DOWN
    deal.apply(1, {})
    expose(deal)
    assert [str(exposure.card) for exposure in deal.exposures] == ["QS"]


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (Card.parse("AS"), "AS is not in the hand"),
        (Card.parse("4D"), "4D may not be played now; legal: 2C"),
        ("2C", "a play is one card"),
        ((), "a play is one card"),
    ],
)
def test_the_reason_says_what_is_wrong_with_a_play(action: Any, reason: str) -> None:
    deal = small(HEARTS, "2C 3C 4D | AC 4C 5C | 6C 7C QS | 8C 9C AS")
    with pytest.raises(IllegalAction, match=reason):
        deal.apply(0, action)
    with pytest.raises(IllegalAction, match="seat 1 is not asked now"):
        deal.apply(1, Card.parse("AC"))
    assert deal.hands[0] == mask("2C 3C 4D")


@pytest.mark.parametrize("action", [None, "2C", 60, (), []])
def test_play_itself_refuses_what_is_no_card(action: Any) -> None:
    deal = small(HEARTS, "2C 3C 4D | AC 4C 5C | 6C 7C QS | 8C 9C AS")
    with pytest.raises(IllegalAction, match="a play is one card"):
        deal.play(action)
    assert deal.hands[0] == mask("2C 3C 4D")
