"""
The number of legal answers to a sealed question, and a limit on it.

Cards are played from a hand of at most 26, but passes and exposures are sets of cards: 13 of 26 cards can be passed in
10,400,600 ways. A bot that looks at all of them would need minutes and gigabytes, so no variant has such a question.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pigpen.rules.parts import Exposing, RulesFields

MAX_CHOICES = 100_000
"""Largest number of legal choices in a decision. Presets have 286; 5 of 26 cards can be passed in 65,780 ways."""


def count_passes(hand: int, cards: int) -> int:
    """Count the ways to choose *cards* cards from a hand of *hand* cards."""
    return comb(hand, cards)


def count_exposures(exposing: Exposing, cards: int) -> int:
    """Count the ways to expose some or none of *cards* exposable cards in a hand."""
    return int((3 if exposing.face_down else 2) ** cards)


def too_many_choices(rules: RulesFields, hand: int) -> Iterator[str]:
    """
    Object to decisions with more than `MAX_CHOICES` choices.

    Args:
        rules: The variant; its numbers make sense in themselves.
        hand: Cards dealt to each seat.
    """
    if rules.passing and (ways := count_passes(hand, rules.passing.cards)) > MAX_CHOICES:
        yield (
            f"passing.cards: there are {ways:,} ways to pass {rules.passing.cards} of {hand} cards, "
            f"and a decision has at most {MAX_CHOICES:,} choices; pass fewer"
        )
    if rules.exposing:
        cards = min(len(rules.exposing.cards), hand)
        if (ways := count_exposures(rules.exposing, cards)) > MAX_CHOICES:
            yield (
                f"exposing.cards: a hand can hold {cards} of these {len(rules.exposing.cards)} cards and expose them "
                f"in {ways:,} ways, and a decision has at most {MAX_CHOICES:,} choices; name fewer"
            )
