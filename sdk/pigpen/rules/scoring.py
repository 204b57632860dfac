"""The points of captured cards: one pure function for all variants."""

from __future__ import annotations

from operator import mul
from typing import TYPE_CHECKING

from pigpen.rules.actions import Face, MoonChoice
from pigpen.rules.cards import Card, byte_totals, cards_in, parse_cards
from pigpen.rules.parts import PigWhenMoon, ShooterCards

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pigpen.rules.cards import Totals
    from pigpen.rules.model import Rules


def shooter_of(rules: Rules, taken: Sequence[int]) -> int | None:
    """Return the seat that took every moon card, or None. *taken* is a mask for each seat."""
    moon = rules.plan.moon
    held = [mask & moon for mask in taken]
    return held.index(moon) if moon and moon in held else None


def card_points(
    rules: Rules,
    taken: Sequence[int],
    exposed: Mapping[Card, Face] | None = None,
    choice: MoonChoice = MoonChoice.SUBTRACT,
) -> tuple[int, ...]:
    """
    Return the points of each seat for the cards that it took, before partners' scores are added.

    Args:
        rules: The variant.
        taken: Captured cards, one mask per seat.
        exposed: Every exposed card and its face.
        choice: The shooter's choice, where there is one.
    """
    weights = card_weights(rules, exposed) if exposed else _UNWEIGHTED
    totals = byte_totals(tuple(map(mul, rules.plan.points, weights))) if exposed else rules.plan.totals
    shooter = shooter_of(rules, taken)
    if shooter is None:
        return tuple([_own(rules, mask, totals, weights) for mask in taken])
    points = [
        _own(rules, mask, totals, weights) if seat != shooter else _shot(rules, mask, totals, weights)
        for seat, mask in enumerate(taken)
    ]
    moon = rules.moon
    if moon is not None:
        if moon.instead is not None and choice is MoonChoice.SUBTRACT:
            points[shooter] += moon.instead
        else:
            flat = moon.others * (doubler_factor(rules, taken[shooter], weights) if moon.others_doubled else 1)
            points = [own if seat == shooter else own + flat for seat, own in enumerate(points)]
    return tuple(points)


_UNWEIGHTED = (1,) * 52


def card_weights(rules: Rules, exposed: Mapping[Card, Face]) -> Sequence[int]:
    """Return the multiplier of each card's points."""
    weights = [1] * 52
    if rules.exposing:
        for name, multiplied in rules.exposing.cards.items():
            face = exposed.get(Card.parse(name))
            if face:
                factor = rules.exposing.face_up if face is Face.UP else rules.exposing.face_down
                for card in cards_in(parse_cards(multiplied)):
                    weights[card] *= factor
    return weights


def doubler_factor(rules: Rules, taken: int, weights: Sequence[int]) -> int:
    """Return the multiplier of the doubler; 1 if it is not among the cards *taken*."""
    doubler = rules.scoring.doubler
    if doubler is None or not taken & rules.plan.doubler:
        return 1
    return doubler.factor * weights[rules.plan.doubler.bit_length() - 1]


def doubled_points(rules: Rules, taken: int, weights: Sequence[int]) -> int:
    """Return the points of a seat for the cards that it took, if no one shot the moon; *weights* as `card_weights`."""
    return _own(rules, taken, byte_totals(tuple(map(mul, rules.plan.points, weights))), weights)


def _own(rules: Rules, taken: int, totals: Totals, weights: Sequence[int]) -> int:
    """Count the points for cards taken without the moon."""
    plan = rules.plan
    total = _total(totals, taken)
    if not taken & plan.doubler:
        return total
    doubler = rules.scoring.doubler
    if doubler and not taken & plan.scoring:
        return doubler.alone * weights[plan.doubler.bit_length() - 1]
    return total * doubler_factor(rules, taken, weights)


def _shot(rules: Rules, taken: int, totals: Totals, weights: Sequence[int]) -> int:
    """Count the shooter's points for its own cards."""
    plan, moon = rules.plan, rules.moon
    if moon is None:
        return _own(rules, taken, totals, weights)
    pig = plan.pig & ~plan.moon
    total = _total(totals, taken & ~plan.moon & ~pig)
    total += _SIGN[moon.pig_when_moon] * _total(totals, taken & pig)
    if moon.shooter is ShooterCards.NEGATE:
        total -= _total(totals, plan.moon)
    return total * doubler_factor(rules, taken, weights)


_SIGN = {PigWhenMoon.FLIP: -1, PigWhenMoon.VOID: 0, PigWhenMoon.KEEP: 1}


def _total(totals: Totals, mask: int) -> int:
    t0, t1, t2, t3, t4, t5, t6 = totals
    b0, b1, b2, b3, b4, b5, b6 = mask.to_bytes(7, "little")
    return t0[b0] + t1[b1] + t2[b2] + t3[b3] + t4[b4] + t5[b5] + t6[b6]
