"""
Real matches of 54 different bots, from which benchmarks/scheduling.py draws what chance does to a match.

    python -m benchmarks.recorded_games games.npz
    python -m benchmarks.recorded_games games.npz --variants hearts --matches 1000

The bots play in this process, without the referee. Some play by a simple policy as `pigpen.playout` does, some try
every card in a few guessed deals that the engine in C plays out, some take every trick they can in some of the deals.
There are copies that play any card in some of their decisions, so that strengths lie close together, that lead other
cards, never take a trick, or pass and expose any cards. Tables are drawn by chance; a match is four boards, each in
every rotation. The same seed gives the same matches wherever the SDK is accelerated.
"""

from __future__ import annotations

import argparse
import os
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from pigpen import Card, Face, Policy, cards_in, margin, mask_of, playout
from pigpen.rules import PRESETS, Deal, MoonChoice, Phase, Rules, deal_hands, seed_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pigpen.rules import Action

VARIANTS = ("gongzhu", "hearts", "gongzhu-partners")
BOARDS = 4
MATCHES = 1200

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


class Games(NamedTuple):
    """The matches of one variant."""

    tables: IntArray
    """(matches, sides) Who played: numbers of `entries`."""
    points: FloatArray
    """(matches, boards, sides) Points per deal relative to the mean of the table; more is better."""


@dataclass(frozen=True)
class Entry:
    """One of the bots: how it plays."""

    slips: float = 0.0
    """In how many of its decisions it plays any card."""
    deals: int = 0
    """Guessed deals in which it tries every card; 0: it ducks and sheds as `pigpen.playout` does."""
    leads: int = 0
    """Place of the card that it leads, counted from the lowest one."""
    careless: bool = False
    """True if it passes and exposes any cards; else the most dangerous ones, and none."""
    takes: bool = True
    """True if it takes tricks that are worth having."""
    shoots: float = 0.0
    """In how many deals it takes every trick that it can."""


def entries() -> list[Entry]:
    """Give 54 bots, from one that plays any card to a search."""
    slips = (0, 0.015, 0.03, 0.045, 0.06, 0.08, 0.1, 0.12, 0.15, 0.18, 0.22, 0.27, 0.33, 0.42, 0.55, 0.75, 1)
    found = [Entry(each) for each in slips]
    found += [Entry(slips, deals) for deals in (1, 2, 4, 8) for slips in (0, 0.05, 0.15)]
    found += [Entry(slips, leads=leads) for leads in (1, 3) for slips in (0, 0.05, 0.12)]
    found += [Entry(slips, deals, careless=True) for slips in (0, 0.1) for deals in (0, 2)]
    found += [Entry(slips, takes=False) for slips in (0, 0.04, 0.1, 0.2)]
    found += [Entry(0.02, shoots=share) for share in (0.05, 0.1, 0.15, 0.2, 0.3, 0.4)]
    found += [Entry(0, 4, shoots=share) for share in (0.05, 0.1, 0.2)]
    return [*found, Entry(0, 2, leads=2, takes=False), Entry(0.1, leads=1, takes=False)]


def _sealed(entry: Entry, deal: Deal, seat: int, rng: Random) -> Action:
    if deal.phase is Phase.MOON:
        return MoonChoice.SUBTRACT
    cards, plan = deal.legal(seat), deal.rules.plan
    if deal.phase is Phase.EXPOSE:
        return {card: Face.UP for card in cards if rng.random() < 0.5} if entry.careless else {}
    if entry.careless:
        return tuple(rng.sample(cards, plan.pass_count))
    return tuple(sorted(cards, key=plan.danger.__getitem__)[-plan.pass_count :])


def _card(entry: Entry, deal: Deal, is_shooting: bool, rng: Random) -> Card:
    cards = deal.legal(deal.turn)
    if len(cards) == 1 or rng.random() < entry.slips:
        return rng.choice(cards)
    if is_shooting:
        return max(cards, key=lambda card: card.rank)
    return _tried(entry.deals, deal, cards, rng) if entry.deals else _careful(entry, deal, cards)


def _careful(entry: Entry, deal: Deal, cards: Sequence[Card]) -> Card:
    """Lead low, duck as high as possible, shed the worst card; take a trick that is worth having, or must be taken."""
    plan, on_table = deal.rules.plan, len(deal.plays) % deal.rules.players
    if not on_table:
        return sorted(cards, key=plan.meek.__getitem__)[min(entry.leads, len(cards) - 1)]
    table = deal.plays[-on_table:]
    if cards[0] // 13 != table[0] // 13:
        return max(cards, key=plan.danger.__getitem__)
    best = max(card for card in table if card // 13 == table[0] // 13)
    under, over = [card for card in cards if card < best], [card for card in cards if card > best]
    if over and on_table == deal.rules.players - 1:
        card = min(over, key=plan.prize.__getitem__)
        if not under or (entry.takes and sum(plan.harm[other] for other in (card, *table)) < 0):
            return card
    return max(under, key=plan.danger.__getitem__) if under else min(over)


def _tried(deals: int, deal: Deal, cards: Sequence[Card], rng: Random) -> Card:
    """Try each card in deals in which the others hold any of the cards that it has not seen."""
    seat, worth = deal.turn, dict.fromkeys(cards, 0.0)
    others = [other for other in range(deal.rules.players) if other != seat]
    unseen = [card for other in others for card in cards_in(deal.hands[other])]
    for _ in range(deals):
        rng.shuffle(unseen)
        guess, first = deal.copy(), 0
        for other in others:
            last = first + deal.hands[other].bit_count()
            guess.hands[other], first = mask_of(unseen[first:last]), last
        for card in cards:
            twin = guess.copy()
            twin.play(card)
            worth[card] += margin(deal.rules, playout(twin, Policy.CAREFUL, rng), seat)
    return max(cards, key=worth.__getitem__)


def played(rules: Rules, table: Sequence[Entry], hands: Sequence[int], number: int, rng: Random) -> list[int]:
    """Play one deal; the score of each seat, in which sits the bot of *table* there."""
    deal = Deal(rules, hands, number=number)
    shooting = [rng.random() < entry.shoots for entry in table]
    while not deal.is_over:
        if deal.phase is Phase.PLAY:
            deal.play(_card(table[deal.turn], deal, shooting[deal.turn], rng))
        else:
            for seat in deal.to_act:
                deal.apply(seat, _sealed(table[seat], deal, seat, rng))
    return list(deal.scores())


def match(rules: Rules, table: Sequence[Entry], seed: str, rng: Random) -> FloatArray:
    """Draw the points of one match, (boards, sides), as in `Games.points`; *table* has each side once."""
    sides, players = len(table), rules.players
    points = np.zeros((BOARDS, sides))
    for board in range(BOARDS):
        hands = deal_hands(rules, seed_from(seed), board)
        for rotation in range(players):
            seated = [(seat + rotation) % sides for seat in range(players)]
            scores = played(rules, [table[side] for side in seated], hands, board, rng)
            for side, score in zip(seated, scores, strict=True):
                points[board, side] += score / players * sides / players
    points = -points if rules.low_is_better else points
    return np.asarray(points - points.mean(axis=1, keepdims=True))


def numbered(variant: str, seed: str, number: int) -> tuple[list[int], FloatArray]:
    """Play match *number* between bots that chance draws: who they were, and their points."""
    rules, rng, bots = PRESETS[variant], Random(f"{seed} {variant} {number}"), entries()
    table = rng.sample(range(len(bots)), 2 if rules.partners else rules.players)
    return table, match(rules, [bots[one] for one in table], f"{seed} {variant} {number}", rng)


def play(variant: str, matches: int, seed: str = "games") -> Games:
    """Play the matches 0, 1, … of a variant, on all cores."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(partial(numbered, variant, seed), range(matches), chunksize=10))
    tables, points = zip(*found, strict=True)
    return Games(np.array(tables), np.array(points))


def save(path: str, games: dict[str, Games]) -> None:
    """Write the matches of all variants into one file, about 0.2 MB for 1,000 matches."""
    arrays = {f"{name}/{part}": array for name, found in games.items() for part, array in found._asdict().items()}
    np.savez_compressed(path, **arrays)


def load(path: str) -> dict[str, Games]:
    """Read what `save` wrote."""
    with np.load(path) as arrays:
        names = dict.fromkeys(name.split("/")[0] for name in arrays.files)
        return {name: Games(arrays[f"{name}/tables"], arrays[f"{name}/points"]) for name in names}


def main() -> None:
    """Play and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("file")
    parser.add_argument("--variants", nargs="+", choices=sorted(PRESETS), default=VARIANTS)
    parser.add_argument("--matches", type=int, default=MATCHES, help="of each variant")
    options = parser.parse_args()
    games = {}
    for variant in options.variants:
        began = time.perf_counter()
        games[variant] = play(variant, options.matches)
        print(f"{variant}: {options.matches:,} matches in {time.perf_counter() - began:.0f} s", flush=True)
        save(options.file, games)


if __name__ == "__main__":
    main()
