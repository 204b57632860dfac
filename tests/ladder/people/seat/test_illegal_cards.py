"""Reasons for illegal cards: every card that may not be played has a reason of its own."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

from ladder.people.seat.illegal_cards import why_not
from pigpen import View
from pigpen.rules import PRESETS, Card, Deal, Face, Phase, Rules
from pigpen.rules.actions import Exposure
from pigpen.rules.presets import GONGZHU, HEARTS
from tests.referee.worlds import any_answer
from tests.rules.players import lumpy_hands
from tests.rules.table import named

if TYPE_CHECKING:
    from collections.abc import Iterator

BOTH = replace(HEARTS, name="both", exposing=GONGZHU.exposing)
"""Hearts in which cards are exposed."""
DEALS = 60


def questions(rules: Rules, rng: Random) -> Iterator[View]:
    """Every view of a deal in which a card is to be played."""
    deal = Deal(rules, lumpy_hands(rules, rng), number=rng.randrange(4))
    while not deal.is_over:
        for seat in deal.to_act:
            view = View(*deal.known_to(seat))
            if deal.phase is Phase.PLAY:
                yield view
            deal.apply(seat, any_answer(view, rng))


@pytest.mark.parametrize("rules", [*PRESETS.values(), BOTH], ids=named)
def test_every_card_has_a_reason_if_and_only_if_it_may_not_be_played(rules: Rules) -> None:
    rng, given = Random(f"reasons of {rules.name}"), set[str]()
    for _ in range(DEALS):
        for view in questions(rules, rng):
            for card in view.hand:
                reason = why_not(view, card)
                assert bool(reason) == (card not in view.legal)
                assert reason != "It may not be played now.", f"{card} of {view.hand} after {view.plays!r}"
                given.add(reason)
    assert len(given) > 4


def view_of(rules: Rules, hand: str, plays: str = "", exposed: str = "", leader: int = 0) -> View:
    """Give the view of seat 0 with this hand after these cards, of which the first was led by *leader*."""
    hand_mask = sum(Card.parse(name).mask for name in hand.split())
    played = [Card.parse(name) for name in plays.split()]
    view = View(*Deal(rules, _hands(rules, hand_mask), number=3).known_to(0))
    view.phase, view.hand_mask, view.plays, view.leaders = Phase.PLAY, hand_mask, bytes(played), bytes([leader])
    view.exposures = tuple(Exposure(0, Card.parse(name), Face.UP) for name in exposed.split())
    view.legal_mask = 0
    return view


def _hands(rules: Rules, hand: int) -> list[int]:
    rest = [card for card in rules.deck if not card.mask & hand]
    own = [card for card in rules.deck if card.mask & hand]
    own += rest[: rules.hand_size - len(own)]
    others = [card for card in rules.deck if card not in own]
    hands = [own, *(others[place :: rules.players - 1] for place in range(rules.players - 1))]
    return [sum(card.mask for card in cards) for cards in hands]


def test_C_4_suit_must_be_followed() -> None:
    view = view_of(HEARTS, "3C AH", "2C", leader=3)
    assert why_not(view, Card.parse("AH")) == "You must follow suit: clubs were led."


def test_HB_2_the_opening_card_must_be_led() -> None:
    assert why_not(view_of(HEARTS, "2C AS"), Card.parse("AS")) == "2C must be led to the first trick."


def test_HB_3_no_points_on_the_first_trick() -> None:
    view = view_of(HEARTS, "3D AH QS", "2C", leader=3)
    assert why_not(view, Card.parse("QS")) == "Hearts and QS may not be played to the first trick."


def test_HB_4_hearts_must_be_broken() -> None:
    view = view_of(HEARTS, "3D AH", "2C 3C 4C 5C")
    view.leaders = bytes([1, 0])
    given = "Hearts may not be led before a heart or QS has been played to an earlier trick."
    assert why_not(view, Card.parse("AH")) == given


def test_GZ_4_an_exposed_card_is_barred_from_the_first_trick_of_its_suit() -> None:
    view = view_of(GONGZHU, "3S QS", "2S", exposed="QS", leader=3)
    given = (
        "QS is exposed: it may not be played to the first trick of its suit while you hold another card of the suit."
    )
    assert why_not(view, Card.parse("QS")) == given
