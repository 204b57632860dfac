"""
Reasons that one choice of a decision is behind the best one, from counts over the deals in which both were tried.

The difference of two choices is divided without a rest (`pigpen.sim.tally.Tally`): the points of each card that counts,
what the doubler adds, what moons add. Cards of one suit are taken together, unless one of them makes most of it. The
largest parts are given, until they account for most of the difference; the trick and voids follow where there is room.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from ladder.values.why import Reason
from pigpen.rules import Card, Phase, Suit, mask_of
from pigpen.rules.cards import cards_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ladder.matches.estimate import ChoiceEstimate
    from pigpen.rules import Action, Rules
    from pigpen.sim.tally import Tally
    from pigpen.values.view import View

MAX_REASONS = 3
"""Reasons that are given for a choice at most."""
ENOUGH = 0.75
"""Share of the difference after which no further part is given."""
MAJORITY = 0.5
"""Smallest share of the difference for which all parts that are given must account; otherwise none is given."""
CLEAR = 0.25
"""Smallest difference of the shares of deals in which the seat takes the trick that is a reason."""


class Part(NamedTuple):
    """A part of the points by which a choice is behind the best one."""

    kind: Literal["card", "points", "doubler", "moon", "other_moon"]
    cards: tuple[Card, ...] = ()
    suit: Suit | None = None
    without: Card | None = None
    """The card of the suit that is a part of its own."""


def reasons_of(view: View, best: ChoiceEstimate, other: ChoiceEstimate) -> tuple[Reason, ...]:
    """
    Say why a choice is behind the best one; nothing where it may be as good.

    Args:
        view: What the seat knew.
        best: The best choice.
        other: The other one, tried in the same deals.
    """
    if view.phase is Phase.MOON or not other.is_clear:
        return ()
    parts = parts_of(view.rules, best.tally, other.tally)
    found = [_reason(view, best.tally, other.tally, part, parts[part]) for part in leading(parts, other.behind)]
    found += [*_trick(view, best.tally, other.tally), *_voids(view, best.action, other.action)]
    return tuple(found[:MAX_REASONS])


def parts_of(rules: Rules, best: Tally, other: Tally) -> dict[Part, float]:
    """Divide the points by which a choice is behind the best one; the parts add up to them."""
    sign = -1 if rules.low_is_better else 1
    counted = [
        (card, sign * (best.points[card] / best.deals - other.points[card] / other.deals))
        for card in cards_in(rules.plan.scoring)
    ]
    found: dict[Part, float] = {}
    for suit in Suit:
        found |= _by_suit(suit, {card: points for card, points in counted if card.suit is suit and points})

    def margin(number: Callable[[Tally], int]) -> float:
        return (number(best) / best.deals - number(other) / other.deals) / rules.players

    found[Part("doubler", cards_in(rules.plan.doubler))] = margin(lambda tally: tally.doubled)
    found[Part("moon")] = margin(lambda tally: tally.own_moon)
    found[Part("other_moon")] = margin(lambda tally: tally.other_moon)
    return {part: points for part, points in found.items() if points}


def leading(parts: dict[Part, float], behind: float) -> list[Part]:
    """
    Choose the largest parts, until they account for most of the points; none if a few of them do not.

    What speaks for the best choice comes first.
    """
    found, left = list[Part](), behind
    for part in sorted(parts, key=lambda each: -abs(parts[each])):
        if len(found) == MAX_REASONS or abs(left) <= (1 - ENOUGH) * behind:
            break
        found.append(part)
        left -= parts[part]
    return sorted(found, key=lambda each: -parts[each]) if abs(left) <= MAJORITY * behind else []


def _by_suit(suit: Suit, points: dict[Card, float]) -> dict[Part, float]:
    """Take the cards of a suit together; one that makes more than half of their points is a part of its own."""
    if not points:
        return {}
    first, total = max(points, key=lambda card: abs(points[card])), sum(points.values())
    if len(points) > 1 and (abs(points[first]) <= abs(total) / 2 or points[first] * total <= 0):
        return {Part("points", tuple(points), suit): total}
    rest = tuple(card for card in points if card != first)
    found = {Part("card", (first,)): points[first]}
    return found | {Part("points", rest, suit, first): total - points[first]} if rest else found


def _reason(view: View, best: Tally, other: Tally, part: Part, points: float) -> Reason:
    kind = part.kind
    if kind == "card" and view.phase is Phase.EXPOSE:
        kind = "points"  # exposing changes what a card counts, and hardly who takes it
    return Reason(
        kind=kind,
        cards=tuple(map(str, part.cards)),
        suit=None if part.suit is None else part.suit.name.lower(),
        without=None if part.without is None else str(part.without),
        after=round(_figure(kind, part.cards, other), 4),
        after_best=round(_figure(kind, part.cards, best), 4),
        points=round(points, 3),
    )


def _figure(kind: str, cards: tuple[Card, ...], tally: Tally) -> float:
    if kind == "points":
        number = sum(tally.points[card] for card in cards)
    elif kind == "moon":
        number = tally.own_moons
    elif kind == "other_moon":
        number = tally.other_moons
    else:
        number = sum(tally.taken[card] for card in cards)
    return number / tally.deals


def _trick(view: View, best: Tally, other: Tally) -> Iterator[Reason]:
    """Say who takes the trick, where that differs clearly."""
    after, after_best = other.tricks / other.deals, best.tricks / best.deals
    if view.phase is Phase.PLAY and abs(after - after_best) >= CLEAR:
        yield Reason(kind="trick", after=round(after, 4), after_best=round(after_best, 4))


def _voids(view: View, best: Action, other: Action) -> Iterator[Reason]:
    """Name a suit of which one of the choices leaves no card in the hand, while others still hold some."""
    left, left_best = (view.hand_mask & ~_given(each) for each in (other, best))
    for suit in Suit:
        is_void, is_void_best = not left & suit.mask, not left_best & suit.mask
        if view.unseen_mask & suit.mask and is_void != is_void_best and left and left_best:
            yield Reason(kind="void", suit=suit.name.lower(), after=float(is_void), after_best=float(is_void_best))


def _given(action: Action) -> int:
    """Give the cards that leave the hand, as a mask."""
    if isinstance(action, Card):
        return action.mask
    return mask_of(action) if isinstance(action, tuple) else 0
