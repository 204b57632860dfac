"""Counts of the move tree, choice by choice, and deals that differ only in what one seat cannot know (C-9)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pigpen.rules import Deal, Face, IllegalAction, Phase, cards_in, mask_of
from tests.rules.piles import action, asked, options
from tests.rules.players import any_action, lumpy_hands

if TYPE_CHECKING:
    from random import Random

    from pigpen.rules import Action, Card, Rules
    from tests.rules.naive import NaiveDeal

    Sealed = dict[int, Action]


def engine_counts(deal: Deal, depth: int) -> list[int]:
    """Nodes of the engine's tree at each depth from 1 to *depth*, fewer where it ends before."""
    level, counts = [deal], []
    for _ in range(depth):
        grown = []
        for parent in level:
            for move in options(parent) if not parent.is_over else ():
                child = parent.copy()
                seat = asked(child)
                assert seat is not None
                child.apply(seat, action(child, move))
                grown.append(child)
        if not grown:
            break
        level = grown
        counts.append(len(level))
    return counts


def naive_counts(deal: NaiveDeal, depth: int) -> list[int]:
    """The same of the naive referee's tree."""
    level, counts = [deal], []
    for _ in range(depth):
        grown = []
        for parent in level:
            for move in parent.options() if parent.asked() is not None else ():
                child = parent.copy()
                child.do(move)
                grown.append(child)
        if not grown:
            break
        level = grown
        counts.append(len(level))
    return counts


@dataclass
class World:
    """A deal as what was dealt and what each seat chose, so that it can be lived again with a difference."""

    rules: Rules
    hands: list[int]
    number: int
    passes: Sealed = field(default_factory=dict)
    shown: Sealed = field(default_factory=dict)
    plays: list[Card] = field(default_factory=list)

    def deal(self) -> Deal:
        """The deal as it stands; `IllegalAction` where these choices were not allowed."""
        deal = Deal(self.rules, self.hands, number=self.number)
        for seat, choice in self.passes.items():
            deal.apply(seat, choice)
        asked = deal.to_act if deal.phase is Phase.EXPOSE else ()
        for seat in range(self.rules.players):
            if seat in asked or self.shown.get(seat):
                deal.apply(seat, self.shown.get(seat, {}))
        for card in self.plays:
            deal.apply(deal.turn, card)
        return deal


def some_world(rules: Rules, rng: Random) -> World:
    """A deal played for a while."""
    world = World(rules, lumpy_hands(rules, rng), rng.randrange(4))
    deal = Deal(rules, world.hands, number=world.number)
    for phase, answers in ((Phase.PASS, world.passes), (Phase.EXPOSE, world.shown)):
        for seat in deal.to_act if deal.phase is phase else ():
            answers[seat] = any_action(deal, seat, rng)
            deal.apply(seat, answers[seat])
    for _ in range(rng.randrange(len(rules.deck))):
        card = any_action(deal, deal.turn, rng)
        deal.apply(deal.turn, card)
        world.plays.append(card)  # type: ignore[arg-type]
    return world


def parallel(world: World, seat: int, rng: Random, tries: int = 12) -> World:
    """The world after all the swaps, out of *tries*, of two cards that *seat* knows nothing of."""
    for _ in range(tries):
        swapped = _with_other_faces(_swap(world, seat, rng), seat, rng)
        try:
            swapped.deal()
        except IllegalAction:
            continue
        world = swapped
    return world


def _swap(world: World, seat: int, rng: Random) -> World:
    deal = world.deal()
    secret = cards_in(world.rules.plan.deck_mask & ~_known(deal, seat))
    if len(secret) < 2:
        return world
    one, other = rng.sample(secret, 2)
    both = one.mask | other.mask

    def turned(cards: int) -> int:
        return cards ^ both if (cards & both).bit_count() == 1 else cards

    hands = [turned(hand) for hand in world.hands]
    passes: Sealed = {who: cards_in(turned(mask_of(cards))) for who, cards in world.passes.items()}  # type: ignore[arg-type]
    return World(world.rules, hands, world.number, passes, world.shown, world.plays)


def _known(deal: Deal, seat: int) -> int:
    """Give the cards that *seat* has held, been passed, or seen; the leader is seen to hold the opening card."""
    face_up = mask_of(shown.card for shown in deal.exposures if shown.face is Face.UP)
    opening = deal.rules.plan.opening if deal.phase is Phase.PLAY else 0
    return deal.dealt[seat] | deal.received[seat] | mask_of(deal.plays) | face_up | opening


def _with_other_faces(world: World, seat: int, rng: Random) -> World:
    """Let the other seats have put as many, but any other, of their unknown cards face down."""
    hands = _hands_after_passing(world)
    played = mask_of(world.plays)
    shown: Sealed = {}
    for who, choice in world.shown.items():
        faces: dict[Card, Face] = dict(choice)  # type: ignore[arg-type]
        if who != seat:
            hidden = [card for card, face in faces.items() if face is Face.DOWN and not card.mask & played]
            faces = {card: face for card, face in faces.items() if card not in hidden}
            free = hands[who] & world.rules.plan.exposable & ~played & ~mask_of(faces)
            if free.bit_count() >= len(hidden):
                faces |= dict.fromkeys(rng.sample(cards_in(free), len(hidden)), Face.DOWN)
            else:
                faces |= dict.fromkeys(hidden, Face.DOWN)
        shown[who] = faces
    return World(world.rules, world.hands, world.number, world.passes, shown, world.plays)


def _hands_after_passing(world: World) -> list[int]:
    return list(World(world.rules, world.hands, world.number, world.passes).deal().hands)
