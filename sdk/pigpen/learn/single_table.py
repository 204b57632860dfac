"""One deal after the other, step by step: what all environments have in common, in Python."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from pigpen.learn.action_numbers import DONE, Steps
from pigpen.rules import Deal, Phase, mask_of, seed_from
from pigpen.rules.shuffle import derived_number
from pigpen.sim.playout import Policy, card_by, play_out, settle
from pigpen.sim.sim_random import SimRandom
from pigpen.sim.solving import margin

if TYPE_CHECKING:
    from pigpen.rules import Action, Rules, SeatView

MAX_DEALS = 1000
"""Deals that are dealt at most to find one in which a seat has a choice."""

OTHER_TABLES = (
    "These tables are not of the kind that runs here: one is in the accelerated engine, the other in Python. "
    "Make both in one process."
)


class Table:
    """
    Deals of one variant. Each is a deal of its own, as a board of a match is; it stops wherever a seat has a choice.

    Attributes:
        deal: The deal.
        seat: The seat that decides.
        view: What it knows.
        steps: Its decision, as far as it is made.
    """

    deal: Deal
    seat: int
    view: SeatView
    steps: Steps

    def __init__(self, rules: Rules, seed: int, game: int = 0) -> None:
        """
        Deal for the first time.

        Args:
            rules: The variant.
            seed: All deals follow from it,
            game: and from this number, of a table among others.

        Raises:
            ValueError: If no seat ever has a choice in this variant.
        """
        self._rules = rules
        self._rng = random_numbers(seed, game)
        self.deal_anew()

    @classmethod
    def of(cls, deal: Deal) -> Table:
        """Make a table at which *deal* is played, and no other one."""
        table = object.__new__(cls)
        table._rules, table.deal = deal.rules, deal
        table._advance()
        return table

    def deal_anew(self) -> None:
        """
        Begin the next deal in which a seat has a choice.

        Raises:
            ValueError: If there is none among many.
        """
        for _ in range(MAX_DEALS):
            self.deal = random_deal(self._rules, self._rng)
            self._advance()
            if not self.deal.is_over:
                return
        raise no_choice(self._rules)

    def act(self, action: int) -> None:
        """
        Take an action of the seat that decides.

        Raises:
            IllegalAction: If it is not legal; nothing has changed.
        """
        self.steps.take(action)
        if self.steps.answer is not None:
            self.decide(self.steps.answer)

    def decide(self, answer: Action) -> None:
        """
        Take the whole decision of the seat.

        Raises:
            IllegalAction: If it is not legal; nothing has changed.
        """
        self.deal.apply(self.seat, answer)
        self._advance()

    def rewards(self) -> tuple[float, ...]:
        """Return by how many points each seat is better than the mean of the table; more is better in every variant."""
        scores, players = self.deal.scores(), self._rules.players
        return tuple(margin(self._rules, scores, seat) / players for seat in range(players))

    def action_by(self, policy: Policy, rng: SimRandom) -> int:
        """Choose the next action by a policy, which exposes no card; a shooter who has a choice subtracts."""
        deal, steps = self.deal, self.steps
        if steps.phase in (Phase.EXPOSE, Phase.MOON):
            return DONE
        if steps.phase is Phase.PLAY:
            return int(card_by(policy, deal, steps.cards, rng))
        if policy is Policy.RANDOM:
            return steps.legal()[rng.below(len(steps.legal()))]
        return max(steps.legal(), key=self._rules.plan.danger.__getitem__)

    def playout(self, action: int, rng: SimRandom) -> float:
        """Return the reward of the seat that decides after an action, if all play on by `Policy.CAREFUL`."""
        deal, steps, danger = self.deal.copy(), copy(self.steps), self._rules.plan.danger
        steps.take(action)
        while steps.answer is None:
            steps.take(DONE if steps.phase is Phase.EXPOSE else max(steps.legal(), key=danger.__getitem__))
        deal.apply(self.seat, steps.answer)
        settle(deal, Policy.CAREFUL, rng)
        play_out(deal, Policy.CAREFUL, rng)
        return margin(self._rules, deal.scores(), self.seat) / self._rules.players

    def _advance(self) -> None:
        """Play what is forced, until a seat has a choice or the deal is over."""
        deal = self.deal
        while not deal.is_over:
            seat = deal.to_act[0]
            if not deal.is_forced(seat):
                self.seat, self.view = seat, deal.view(seat)
                self.steps = Steps(self._rules, deal.phase, self.view.legal_mask)
                return
            deal.apply(seat, deal.default_action(seat))


def random_numbers(seed: int, game: int) -> SimRandom:
    """Make the random numbers of one table among those that a seed gives."""
    return SimRandom(derived_number("learn", seed_from(str(seed)), game))


def random_deal(rules: Rules, rng: SimRandom) -> Deal:
    """Deal the cards of a deal at random, anywhere in the cycle of passing directions."""
    plan = rules.plan
    number, deck = rng.below(len(plan.pass_offsets)), list(plan.deck)
    for last in range(len(deck) - 1, 0, -1):
        other = rng.below(last + 1)
        deck[last], deck[other] = deck[other], deck[last]
    size = plan.hand_size
    hands = [mask_of(deck[seat * size : (seat + 1) * size]) for seat in range(rules.players)]
    return Deal(rules, hands, number=number)


def no_choice(rules: Rules) -> ValueError:
    """Make the error for a variant in which nothing is decided."""
    return ValueError(f"There is nothing to learn in {rules.name}: in {MAX_DEALS:,} deals no seat had a choice.")
