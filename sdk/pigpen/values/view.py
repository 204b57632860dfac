"""
Views of a table from one seat.

The view that a bot gets has what its seat may know, and what the referee adds for a decision. `Seen` has the values
shown to a person at the table, with a question or without one.
"""

from __future__ import annotations

import random
import time
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pigpen.rules import Phase, SeatView, mask_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pigpen.rules import Card, Deal
    from pigpen.sim.playout import Policy
    from pigpen.sim.possible_deals import PossibleDeals
    from pigpen.sim.sim_random import Bits
    from pigpen.sim.tally import Tally


@dataclass(slots=True, eq=False, repr=False)
class View(SeatView):
    """
    All that one seat may know, at the moment of a decision.

    >>> from pigpen import View
    >>> from pigpen.rules import PRESETS, Deal, deal_hands
    >>> rules = PRESETS["hearts"]
    >>> deal = Deal(rules, deal_hands(rules, bytes(32), 3), number=3)
    >>> deal.apply(deal.turn, deal.legal(deal.turn)[0])
    >>> view = View(*deal.known_to(deal.turn), seed=7, limit=1.0, bank=60.0)
    >>> view.led.name, view.winning.seat, view.legal
    ('CLUBS', 2, (Card('7C'), Card('JC')))
    >>> sampled = view.sample(view.rng)
    >>> sampled.phase is deal.phase and sampled.hands[view.seat] == view.hand_mask
    True
    """

    totals: tuple[int, ...] = ()
    """Total of the bot in each seat, in the game or match before this deal."""
    decision: int = 0
    """Number of the decision in this match, from 1; forced actions, which are not asked, do not count."""
    seed: int = 0
    """A 64-bit number for this bot and this deal, the same in every run with the same match seed."""
    limit: float = 0.0
    """Seconds that this decision may take."""
    bank: float = 0.0
    """Seconds left in the bank before this decision."""
    last_took: float = 0.0
    """Seconds charged for the answer before this one; zero at the first."""
    last_cpu: float | None = None
    """Seconds of CPU time that it took; None at the first, and where the clock counts wall time."""
    asked_at: float = field(default_factory=time.monotonic, init=False)
    """The reading of `time.monotonic` when the question was read; `time_left` counts from here."""
    charge_rate: float = field(default=1.0, init=False)
    """Seconds that the referee charges for a second of wall time, as far as its charges so far tell; 1.0 at first."""
    cpu_rate: float = field(default=1.0, init=False)
    """Seconds of CPU time that the program gets in a second of wall time, in the same way."""
    _rng: random.Random | None = field(default=None, init=False)
    _possible: PossibleDeals | None = field(default=None, init=False)

    @property
    def rng(self) -> random.Random:
        """Random numbers for this decision, the same in every run with the same match seed."""
        if self._rng is None:
            self._rng = random.Random(self.seed << 16 | self.phase << 8 | len(self.plays))
        return self._rng

    def time_left(self) -> float:
        """
        Return the seconds that this decision may still take; never more than the referee allows.

        The referee charges CPU time in containers, or a third of the wall time if that is more, and wall time in other
        sandboxes. So a second of wall time costs one second at most, and this counts the wall time since the question
        was read. It may be asked often: it reads one clock. `time.process_time` is no such clock, because under gVisor
        it runs in steps of 10 ms and counts wall time.

        >>> from pigpen import View
        >>> from pigpen.rules import PRESETS, Deal, deal_hands
        >>> deal = Deal(PRESETS["hearts"], deal_hands(PRESETS["hearts"], bytes(32), 3), number=3)
        >>> view = View(*deal.known_to(deal.turn), limit=60.0, bank=60.0)
        >>> 50.0 < view.time_left() <= 60.0
        True
        """
        return max(0.0, self.asked_at + self.limit - time.monotonic())

    def time_charged(self) -> float:
        """
        Estimate the seconds that this decision has cost so far, as the referee will charge them to the bank.

        In containers the referee charges CPU time, or a third of the wall time if that is more; on a busy machine that
        is much less than the wall time. A program cannot read its CPU time under gVisor. So this is the wall time
        since the question was read, times `charge_rate`: what the latest answers were charged for theirs. A budget
        that is counted so buys about the same work on a quiet and on a busy machine. A single answer may cost more or
        less than estimated; against the limit of a decision only `time_left` is safe.

        >>> from pigpen import View
        >>> from pigpen.rules import PRESETS, Deal, deal_hands
        >>> deal = Deal(PRESETS["hearts"], deal_hands(PRESETS["hearts"], bytes(32), 3), number=3)
        >>> view = View(*deal.known_to(deal.turn), limit=60.0, bank=60.0)
        >>> 0.0 <= view.time_charged() < 10.0
        True
        """
        return self.charge_rate * (time.monotonic() - self.asked_at)

    def sample(self, rng: Bits) -> Deal:
        """
        Deal the unseen cards at random, and return a whole deal at the same decision, ready to be played on.

        All deals that fit what the seat knows are equally likely: its own hand, what it passed and received, every
        card played and what that says of its player's hand (suits not followed, rules that would have forbidden the
        card), exposures. Deals that differ in what others passed, or in which cards lie face down, are different deals.
        In a sealed phase all seats are asked again. The first call on a view takes longest: it counts those deals.

        Args:
            rng: A `random.Random`, such as the `rng` of the view that a bot gets.

        Raises:
            ValueError: If no deal fits, or the deal is over.
        """
        from pigpen.sim.sim_random import SimRandom  # not every bot simulates

        return self._possible_deals().draw(SimRandom.of(rng))

    def playouts(
        self,
        deals: int,
        rng: Bits,
        policy: Policy | None = None,
        cards: Iterable[Card] | None = None,
        tallies: Sequence[Tally] | None = None,
    ) -> dict[Card, tuple[float, ...]]:
        """
        Try each legal card in the same *deals* sampled deals, and play each of them to its end.

        Same result as `sample`, `Deal.play` and `pigpen.playout` in two loops, in one call: many times as fast where
        the accelerated engine runs. Only for the seat that is to play a card.

        >>> from pigpen import View, margin
        >>> from pigpen.rules import PRESETS, Deal, deal_hands
        >>> rules = PRESETS["hearts"]
        >>> deal = Deal(rules, deal_hands(rules, bytes(32), 3), number=3)
        >>> while len(deal.plays) < 40:
        ...     deal.apply(deal.turn, deal.default_action(deal.turn))
        ...
        >>> view = View(*deal.known_to(deal.turn), seed=7)
        >>> scores = view.playouts(20, view.rng)
        >>> {str(card): scores[card][view.seat] for card in view.legal}
        {'2S': 5.3, 'TS': 6.55, 'AS': 15.65}
        >>> max(view.legal, key=lambda card: margin(rules, scores[card], view.seat))
        Card('2S')

        Args:
            deals: Number of deals to sample, from 1 to 2**32.
            rng: A `random.Random`.
            policy: The policy by which all seats play on; `Policy.CAREFUL` by default.
            cards: The legal cards to try; all of them by default.
            tallies: A `Tally` for each of the cards, in canonical order, to which its deals are added.

        Returns:
            For each of the cards, in canonical order, the mean score of each seat.

        Raises:
            ValueError: If it is not this seat's turn to play, one of the cards is not legal, no deal fits, *deals* is
                too small or too large, or the tallies are not as many as the cards.
        """
        from pigpen.sim.playout import Policy, check_deals, playouts
        from pigpen.sim.sim_random import SimRandom

        options = self.legal_mask if cards is None else mask_of(cards)
        if self.phase is not Phase.PLAY or not options or options & ~self.legal_mask:
            raise ValueError("playouts need a seat that is to play a card, and only legal cards to try")
        check_deals(deals)
        policy = Policy.CAREFUL if policy is None else policy
        return playouts(self._possible_deals(), options, deals, policy, SimRandom.of(rng), tallies)

    def __getstate__(self) -> tuple[object, dict[str, object]]:
        state: Any = object.__getstate__(self)  # a dataclass with slots has no `super()`
        return state[0], state[1] | {"_rng": copy(self._rng), "_possible": None}

    def _possible_deals(self) -> PossibleDeals:
        """Give the deals that fit, counted once."""
        from pigpen.sim.possible_deals import PossibleDeals

        if self._possible is None:
            self._possible = PossibleDeals(self)
        return self._possible


@dataclass(frozen=True, slots=True)
class Seen:
    """One moment of a deal, as a person's seat may see it."""

    view: View
    """All that the seat may know. It asks nothing: its decision, limit and bank are zero."""
    names: tuple[str, ...]
    """Name of the player in each seat."""
    away: bool = False
    """True while the default policy plays the seat, until the person is back."""
