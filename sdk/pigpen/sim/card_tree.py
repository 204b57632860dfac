"""
Information-set tree search for a seat that is to play a card (Cowling, Powley and Whitehouse, 2012).

The search is in the accelerated engine (`native/tree.h`). Without it the same questions are answered by playouts.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

from pigpen.rules import Phase
from pigpen.rules.cards import mask_of
from pigpen.sim import native
from pigpen.sim.playout import Policy, check_deals, playouts
from pigpen.sim.possible_deals import PossibleDeals
from pigpen.sim.sim_random import SimRandom
from pigpen.sim.solving import TooLong, margin, solve
from pigpen.sim.tally import check_tallies

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pigpen.rules import Card
    from pigpen.rules.view import SeatView
    from pigpen.sim.sim_random import Bits
    from pigpen.sim.tally import Tally

MAX_BRANCHES = 1 << 17
"""Largest number of branches of a tree by default: 4 MiB."""
MIN_BRANCHES = 64
"""Smallest number of branches of a tree: enough for every card at its root."""
MAX_BRANCHES_OF_ALL = (1 << 32) - 1
"""Largest number of branches of any tree, which numbers them in 32 bits: 96 GiB."""
TREE_DEALS = 10
"""Number of sampled deals in one trial."""
SOLVED_TRICKS = 5
"""From how many tricks before the end a deal is solved, where only one deal fits the view."""
SOLVE_LIMIT = 10_000
"""The largest number of positions that are searched for that: some 10 ms."""


class CardTree:
    """
    A search for the best card to play: a tree of plays, which grows with each trial.

    >>> from pigpen import View
    >>> from pigpen.rules import PRESETS, Deal, deal_hands
    >>> from pigpen.search import CardTree, race
    >>> rules = PRESETS["hearts"]
    >>> deal = Deal(rules, deal_hands(rules, bytes(32), 3), number=3)
    >>> while len(deal.plays) < 40:
    ...     deal.apply(deal.turn, deal.default_action(deal.turn))
    ...
    >>> view = View(*deal.known_to(deal.turn), seed=7)
    >>> race(view.legal, CardTree(view, view.rng).trial, seconds=60.0, trials=20)
    Card('2S')

    Each trial deals the unseen cards 10 times, so that they fit the view. Deals in which the other seats' plays so far
    are more plausible are drawn more often. Every card is tried in the same deals. All seats then follow the tree, in
    which each takes what is best for itself; beyond the tree they play by a policy that was learned from games. From
    six cards in hand on, the last two tricks are solved. The same random numbers give the same results.

    Where the accelerated engine does not run, and under own rules whose views say less than all about the hands, a
    trial is made by playouts with `Policy.CAREFUL` instead: `is_tree` is False.
    """

    def __init__(self, view: SeatView, rng: Bits, branches: int = MAX_BRANCHES) -> None:
        """
        Begin a search.

        Args:
            view: The view of a seat that is to play a card. Nothing else is looked at.
            rng: Source of the search's random numbers.
            branches: Largest number of branches, from 64 to 2**32 - 1; each takes 24 bytes. When all are in use, the
                search continues without new ones.

        Raises:
            ValueError: If it is not this seat's turn to play, no deal fits, or *branches* is too small or too large.
        """
        if view.phase is not Phase.PLAY or not view.legal_mask:
            raise ValueError("a search is for a seat that is to play a card")
        if not MIN_BRANCHES <= branches <= MAX_BRANCHES_OF_ALL:
            raise ValueError(f"a tree has {MIN_BRANCHES} to {MAX_BRANCHES_OF_ALL:,} branches, not {branches:,}")
        self._view = view
        self._possible = PossibleDeals(view)
        self._rng = SimRandom.of(rng)
        engine = native.engine()
        self._engine = engine if engine and self._possible.all_fit else None
        self._tree = self._engine.new_tree(branches, self._rng.state) if self._engine else None

    def __getstate__(self) -> dict[str, object]:
        engine = self._engine and self._engine.source
        return vars(self) | {"_rng": copy(self._rng), "_tree": copy(self._tree), "_engine": engine}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._engine = native.same_engine(state["_engine"]) if state["_engine"] else None

    @property
    def is_tree(self) -> bool:
        """True if there is a tree, and not only playouts."""
        return self._tree is not None

    def trial(self, cards: Sequence[Card]) -> list[float]:
        """Return the mean margin of this seat after each of *cards*, in 10 more deals; see `pigpen.margin`."""
        scores = self.scores(TREE_DEALS, cards)
        return [margin(self._view.rules, scores[card], self._view.seat) for card in cards]

    def scores(
        self, deals: int, cards: Iterable[Card] | None = None, tallies: Sequence[Tally] | None = None
    ) -> dict[Card, tuple[float, ...]]:
        """
        Try cards in *deals* more deals.

        Args:
            deals: Number of deals, from 1 to 2**32.
            cards: The legal cards to try; all of them by default.
            tallies: A `Tally` for each of the cards, in canonical order, to which its deals are added.

        Returns:
            For each of the cards, in canonical order, the mean score of each seat in these deals.

        Raises:
            ValueError: If one of the cards is not legal, there is no deal to try them in or there are too many, or the
                tallies are not as many as the cards.
        """
        view = self._view
        options = view.legal_mask if cards is None else mask_of(cards)
        if not options or options & ~view.legal_mask:
            raise ValueError("a search tries one or more legal cards")
        check_deals(deals)
        check_tallies(tallies, options)
        if not self._engine or not self._tree:
            return playouts(self._possible, options, deals, Policy.CAREFUL, SimRandom(self._rng.word()), tallies)
        known, tables = self._possible.known_position(), self._possible.unseen.tables
        sums = self._engine.search(known, tables, view, self._tree, options, deals, tallies)
        tried = [card for card in view.legal if options & card.mask]
        return {card: tuple([points / deals for points in row]) for card, row in zip(tried, sums, strict=True)}

    def solved(self) -> Card | None:
        """Return the best card where only one deal fits and at most five tricks are left, and else None."""
        if len(self._view.hand) > SOLVED_TRICKS or self._possible.unseen.ways() > 1:
            return None
        try:
            return solve(self._possible.draw_hands(SimRandom(0)), SOLVE_LIMIT).card
        except TooLong:
            return None
