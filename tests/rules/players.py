"""Seeded players and deals for the tests that walk through many positions."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from pigpen.rules import PRESETS, Deal, Face, MoonChoice, Phase, mask_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from pigpen.rules import Action, Card, Rules

Test = TypeVar("Test", bound=Callable[..., Any])

_SOME = settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
"""No clock decides a test: neither a deadline nor the check for slow data."""
_MANY = settings(_SOME, max_examples=60)
presets = st.sampled_from(list(PRESETS.values()))
chances = st.randoms(use_true_random=True)
"""A source of chance that Hypothesis seeds and prints but does not watch: a whole deal costs it one draw."""


def some(test: Test) -> Test:
    """Give a test examples."""
    return _SOME(test)


def many(test: Test) -> Test:
    """Give a test many examples."""
    return _MANY(test)


def lumpy_hands(rules: Rules, rng: Random) -> list[int]:
    """
    Hands of any shape, from whole suits to well shuffled.

    Long suits and voids are where the restrictions lift and the moon is shot; a fair shuffle hardly ever shows them.
    """
    suits = [[card for card in rules.deck if card.suit == suit] for suit in rng.sample(range(4), 4)]
    deck = list(itertools.chain(*suits))
    for _ in range(rng.choice((0, 1, 2, 4, 8, 16, 200))):
        one, other = rng.randrange(len(deck)), rng.randrange(len(deck))
        deck[one], deck[other] = deck[other], deck[one]
    size = rules.hand_size
    hands = [mask_of(deck[seat * size : seat * size + size]) for seat in range(rules.players)]
    return rng.sample(hands, len(hands))


def lumpy_deal(rules: Rules, rng: Random) -> Deal:
    """A deal with such hands, in any place of the passing cycle."""
    return Deal(rules, lumpy_hands(rules, rng), number=rng.randrange(4))


def any_action(deal: Deal, seat: int, rng: Random) -> Action:
    """Any of the things *seat* may do."""
    options = deal.legal(seat)
    if deal.phase is Phase.PLAY:
        return _high_or_low(options, rng)
    if deal.phase is Phase.PASS:
        return tuple(rng.sample(options, deal.view(seat).pass_count))
    if deal.phase is Phase.EXPOSE:
        faces = [Face.UP, Face.DOWN] if deal.rules.exposing and deal.rules.exposing.face_down else [Face.UP]
        return {card: rng.choice(faces) for card in options if rng.random() < 0.5}
    return rng.choice(list(MoonChoice))


def walk(deal: Deal, rng: Random) -> Iterator[Deal]:
    """Play the deal out; yields it before every decision and once when it is over."""
    while not deal.is_over:
        yield deal
        seat = rng.choice(deal.to_act)
        deal.apply(seat, any_action(deal, seat, rng))
    yield deal


def somewhere(deal: Deal, rng: Random) -> Deal:
    """The deal after some of its decisions, any number of them."""
    for _ in range(rng.randrange(64)):
        if deal.is_over:
            break
        seat = rng.choice(deal.to_act)
        deal.apply(seat, any_action(deal, seat, rng))
    return deal


def _high_or_low(options: tuple[Card, ...], rng: Random) -> Card:
    return rng.choice((options[0], options[-1], rng.choice(options)))
