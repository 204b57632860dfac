"""
Playouts: a deal played to its end by a simple policy, many thousand times.

The policies here are the reference: the accelerated engine (`pigpen.sim.native`), if there is one, plays the same cards
with the same random numbers.
"""

from __future__ import annotations

import enum
import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from pigpen.rules.actions import Action, MoonChoice, Phase
from pigpen.rules.cards import CARDS, SUIT_MASKS, Card, cards_in
from pigpen.sim import native
from pigpen.sim.sim_random import SimRandom
from pigpen.sim.tally import check_tallies

if TYPE_CHECKING:
    from pigpen.rules.deal import Deal
    from pigpen.sim.possible_deals import PossibleDeals
    from pigpen.sim.sim_random import Bits
    from pigpen.sim.tally import Tally


MAX_DEALS = 1 << 32
"""Largest number of deals of one call: the accelerated engine counts in 64 bits."""


class Policy(enum.IntEnum):
    """
    A simple policy by which all seats play. It exposes no card; a shooter who has a choice takes the −26.

    >>> import random
    >>> from pigpen import Policy, playout
    >>> from pigpen.rules import PRESETS, Deal, deal_hands
    >>> rules = PRESETS["hearts"]
    >>> deal = Deal(rules, deal_hands(rules, bytes(32), 0))
    >>> [playout(deal, policy, random.Random(1)) for policy in Policy]
    [(7, 0, 1, 18), (4, 16, 4, 2)]
    """

    RANDOM = 0
    """Any legal card, any cards passed."""
    CAREFUL = 1
    """Lead low, duck, shed the worst card, take what is worth having; one card in eight is any legal card."""


Chooser: TypeAlias = Callable[["Deal", int], Action]
"""A policy of your own: a function of a deal, all hands open, and a seat that returns the action of that seat."""


def playout(deal: Deal, policy: Policy | Chooser = Policy.CAREFUL, rng: Bits | None = None) -> tuple[int, ...]:
    """
    Play a copy of *deal* to its end by a simple policy, and return the score of each seat.

    >>> import random
    >>> from pigpen import Policy, playout
    >>> from pigpen.rules import PRESETS, Deal, deal_hands
    >>> rules = PRESETS["gongzhu"]
    >>> playout(Deal(rules, deal_hands(rules, bytes(32), 0)), Policy.CAREFUL, random.Random(1))
    (-10, -140, 60, -80)

    Args:
        deal: The deal from which to start; it is not changed.
        policy: The policy of all seats: `Policy.CAREFUL` or `Policy.RANDOM`, both very quick; or a function of your own
            that gets the deal and a seat, and returns the action of that seat.
        rng: Source of the policy's random numbers; the same state gives the same play.

    Returns:
        The score of each seat, as `Deal.scores` gives it.
    """
    if not isinstance(policy, Policy):
        return _played_by(deal.copy(), policy)
    return counted_playout(deal, policy, SimRandom.of(rng or random))


def counted_playout(
    deal: Deal, policy: Policy, own: SimRandom, seat: int = 0, tally: Tally | None = None
) -> tuple[int, ...]:
    """Do as `playout`, and add the deal to *tally*, which counts for *seat*."""
    if deal.phase in (Phase.PASS, Phase.EXPOSE):
        deal = deal.copy()
        settle(deal, policy, own)
    engine = native.engine()
    if engine and deal.phase is Phase.PLAY:
        return engine.playout(deal, policy, own.state, seat, tally)
    deal = deal.copy()
    play_out(deal, policy, own)
    scores = deal.scores()
    if tally is not None:
        tally.note(deal, scores, seat)
    return scores


def check_deals(deals: int) -> None:
    """
    Refuse a number of deals that cannot be sampled in one call.

    Raises:
        ValueError: If it is less than 1, or more than `MAX_DEALS`.
    """
    if not 1 <= deals <= MAX_DEALS:
        raise ValueError(f"1 to {MAX_DEALS:,} deals are sampled in one call, not {deals:,}")


def playouts(
    possible: PossibleDeals,
    options: int,
    deals: int,
    policy: Policy,
    rng: SimRandom,
    tallies: Sequence[Tally] | None = None,
) -> dict[Card, tuple[float, ...]]:
    """
    Return the mean scores after each card of the mask *options*; see `pigpen.View.playouts`.

    The deals after each card are added to its tally of *tallies*.
    """
    check_tallies(tallies, options)
    cards, engine = cards_in(options), native.engine()
    if engine and possible.all_fit:
        sums = engine.playouts(
            possible.known_position(), possible.unseen.tables, options, deals, policy, rng.state, tallies
        )
    else:
        sums = [[0] * possible.first.rules.players for _ in cards]
        for _ in range(deals):
            _try_all(possible.draw_hands(rng), cards, policy, rng, sums, tallies)
    return {card: tuple([points / deals for points in row]) for card, row in zip(cards, sums, strict=True)}


def _try_all(
    deal: Deal,
    cards: Sequence[Card],
    policy: Policy,
    rng: SimRandom,
    sums: list[list[int]],
    tallies: Sequence[Tally] | None,
) -> None:
    for place, card in enumerate(cards):
        twin = deal.copy()
        twin.play(card)
        play_out(twin, policy, rng)
        scores = twin.scores()
        for seat, points in enumerate(scores):
            sums[place][seat] += points
        if tallies is not None:
            tallies[place].note(twin, scores, deal.turn, card)


def play_out(deal: Deal, policy: Policy, rng: SimRandom) -> None:
    """Play *deal*, which is in `Phase.PLAY`, to its end."""
    choose = _CHOOSERS[policy]
    play = deal.play
    while options := deal.playable:
        play(choose(deal, options, rng) if options & options - 1 else _card(options))
    if deal.phase is Phase.MOON:
        deal.apply(deal.turn, MoonChoice.SUBTRACT)


def card_by(policy: Policy, deal: Deal, options: int, rng: SimRandom) -> Card:
    """Choose one of the cards *options*, a mask, for the seat whose turn it is, by a policy."""
    return _CHOOSERS[policy](deal, options, rng)


def _played_by(deal: Deal, policy: Chooser) -> tuple[int, ...]:
    while not deal.is_over:
        for seat in deal.to_act:
            deal.apply(seat, policy(deal, seat))
    return deal.scores()


def settle(deal: Deal, policy: Policy, rng: SimRandom, but: int | None = None) -> None:
    """Answer the sealed questions for all seats that have not answered yet, except for the seat *but*."""
    while deal.phase in (Phase.PASS, Phase.EXPOSE):
        seats = [seat for seat in deal.to_act if seat != but]
        if not seats:
            break
        for seat in seats:
            deal.apply(seat, _passed(deal, seat, policy, rng) if deal.phase is Phase.PASS else {})


def _passed(deal: Deal, seat: int, policy: Policy, rng: SimRandom) -> tuple[Card, ...]:
    cards, count = list(deal.legal(seat)), deal.rules.plan.pass_count
    if policy is Policy.RANDOM:
        return tuple([cards.pop(rng.below(len(cards))) for _ in range(count)])
    return tuple(sorted(cards, key=deal.rules.plan.danger.__getitem__)[-count:])


def _card(mask: int) -> Card:
    return CARDS[mask.bit_length() - 1]


def _any(_deal: Deal, options: int, rng: SimRandom) -> Card:
    for _ in range(rng.below(options.bit_count())):
        options &= options - 1
    return _card(options & -options)


def _careful(deal: Deal, options: int, rng: SimRandom) -> Card:
    plan = deal.rules.plan
    if not rng.word() >> 61:
        return _any(deal, options, rng)
    on_table = len(deal.plays) % deal.rules.players
    if not on_table:
        return min(cards_in(options), key=plan.meek.__getitem__)
    table = deal.plays[-on_table:]
    suit = SUIT_MASKS[table[0] // 13]
    best = max(card for card in table if suit >> card & 1)
    if options & suit:
        return _follow(deal, options, table, best)
    winner = deal.leaders[-1] + table.index(best)
    is_ours = deal.rules.partners and not (winner ^ deal.turn) & 1
    return (min if is_ours else max)(cards_in(options), key=plan.danger.__getitem__)


def _follow(deal: Deal, options: int, table: bytearray, best: int) -> Card:
    """Duck as high as possible; the last to play takes the trick where it must, or where that is worth having."""
    plan = deal.rules.plan
    under = options & (1 << best) - 1
    over = options & ~under
    if over and len(table) == deal.rules.players - 1:
        card = min(cards_in(over), key=plan.prize.__getitem__)
        if not under or sum(plan.harm[other] for other in (card, *table)) < 0:
            return card
    if under:
        return max(cards_in(under), key=plan.danger.__getitem__)
    return _card(over & -over)


_CHOOSERS = {Policy.RANDOM: _any, Policy.CAREFUL: _careful}
