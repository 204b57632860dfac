"""Trials of passes and exposures: every choice in the same sampled deals, played on with the same random numbers."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from pigpen.rules.actions import Face, Phase
from pigpen.rules.cards import cards_in, mask_of
from pigpen.sim import native
from pigpen.sim.native.binding import SEALED_SEEDS, sealed_choice, sealed_question
from pigpen.sim.playout import playout, settle
from pigpen.sim.sim_random import SimRandom
from pigpen.sim.solving import margin

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pigpen.rules import Action, Card
    from pigpen.sim.playout import Policy
    from pigpen.sim.possible_deals import PossibleDeals
    from pigpen.sim.sim_random import Bits


class SealedChoice(NamedTuple):
    """A pass or an exposure, as masks, and as the accelerated engine reads it."""

    cards: int
    face_down: int
    packed: bytes


class SealedTrials:
    """The trials of one decision, in which the seat of a view passes or exposes."""

    def __init__(self, possible: PossibleDeals, policy: Policy) -> None:
        """
        Prepare trials.

        Args:
            possible: The deals that fit the view.
            policy: The policy by which all other seats answer, and all seats play on.
        """
        self._possible = possible
        self._policy = policy
        engine = native.engine()
        self._engine = engine if engine and possible.all_fit else None

    def margins(self, choices: Sequence[SealedChoice], rng: Bits, deals: int = 1) -> list[float]:
        """Return the mean margin of the seat after each of *choices*, in *deals* sampled deals; see `pigpen.margin`."""
        if self._engine:
            seeds, packed = b"".join([_seeds(rng) for _ in range(deals)]), [choice.packed for choice in choices]
            rules, tables = self._possible.view.rules, self._possible.unseen.tables
            sums: Sequence[float] = self._engine.sealed(rules, tables, self._question, seeds, self._policy, packed)
        else:
            rows = [self._tried(choices, rng) for _ in range(deals)]
            sums = list(map(sum, zip(*rows, strict=True)))
        return [each / deals for each in sums]

    def choice(self, action: Action) -> SealedChoice:
        """
        Prepare a choice.

        Raises:
            IllegalAction: If it is not legal.
        """
        view = self._possible.view
        self._possible.first.check(view.seat, action)
        return passed(action) if view.phase is Phase.PASS else exposed(action)  # type: ignore[arg-type]

    @cached_property
    def _question(self) -> bytes:
        return sealed_question(self._possible.view)

    def _tried(self, choices: Sequence[SealedChoice], rng: Bits) -> list[float]:
        """Give the margins in one deal, without the accelerated engine."""
        view = self._possible.view
        deal = self._possible.draw(SimRandom.of(rng))
        settle(deal, self._policy, SimRandom.of(rng), but=view.seat)
        same, values = _SameBits(rng.getrandbits(BITS)), []
        for choice in choices:
            after = deal.copy()
            after.apply(view.seat, self._action(choice))
            values.append(margin(view.rules, playout(after, self._policy, same), view.seat))
        return values

    def _action(self, choice: SealedChoice) -> Action:
        cards = cards_in(choice.cards)
        if self._possible.view.phase is Phase.PASS:
            return cards
        return {card: Face.DOWN if choice.face_down & card.mask else Face.UP for card in cards}


def passed(cards: Sequence[Card]) -> SealedChoice:
    """Prepare a pass."""
    mask = mask_of(cards)
    return SealedChoice(mask, 0, sealed_choice(mask, 0))


def exposed(faces: Mapping[Card, Face]) -> SealedChoice:
    """Prepare an exposure."""
    masks = mask_of(faces), mask_of([card for card, face in faces.items() if face is Face.DOWN])
    return SealedChoice(*masks, sealed_choice(*masks))


BITS = 128
_ODD = 1 | 1 << BITS | 1 << 2 * BITS
"""The last bit of each state, which is always set."""


class _SameBits:
    """A source of random bits that gives the same ones each time."""

    def __init__(self, bits: int) -> None:
        self._bits = bits

    def getrandbits(self, count: int, /) -> int:
        return self._bits >> BITS - count


def _seeds(rng: Bits) -> bytes:
    """Draw what `SealedTrials._tried` draws: the states of its three generators."""
    cards, answers, play = rng.getrandbits(BITS - 1), rng.getrandbits(BITS - 1), rng.getrandbits(BITS)
    return (cards << 1 | answers << BITS + 1 | play << 2 * BITS | _ODD).to_bytes(SEALED_SEEDS, "little")
