"""
Quality of the cards that `tree` chooses, against those of `sampling`, in every variant: quicker than whole matches.

    python -m benchmarks.choices --minutes 20
    python -m benchmarks.choices --ms 40 --rules gongzhu --minutes 10

Deals are played by bots that `tree` was not trained on and that simulate little. In a third of the decisions both
`tree` and `sampling` choose a card, each with the same CPU time. Where the cards differ, the deal is played to its end
200 times after each of them, with the hands as they really are: by the policy that `tree` learned, and by that of
`sampling` (`Policy.CAREFUL`). Each policy favours the bot that searches by it, so the truth should lie between.

A figure is the difference in points against the mean of all seats, for one seat in a whole deal, ± one standard error
over deals.

A match (`python -m benchmarks.tree`) has no such bias, but needs some ten times as much time for the same error.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from dataclasses import dataclass, field
from functools import partial

from benchmarks.duels import in_errors, load_bot, mean_and_error
from benchmarks.machine import machine
from benchmarks.report import show
from benchmarks.tree import by_playouts, by_tree, rounds
from pigpen import Card, Policy, View, margin
from pigpen.bot import decide
from pigpen.rules import PRESETS, Deal, Phase, Rules, deal_hands, seed_from
from pigpen.search import card_trial, race
from pigpen.sim import native
from pigpen.sim.playout import playout
from pigpen.sim.sim_random import SimRandom

ASKED = 3
"""One decision in this number is put to both bots."""
TIMES = 200
"""Times that a deal is played to its end after a card."""
WAYS = ("by the learned policy", "by CAREFUL")


@dataclass
class Comparison:
    """Decisions of one variant."""

    rules: Rules
    seconds: float
    """CPU time for a card."""
    seed: bytes
    gains: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))
    """Points that `tree` is better in a deal, deal by deal, when the deal is played on in each of `WAYS`."""
    used: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))
    """CPU time of each card, of both bots, in ms."""
    decisions: int = 0
    differ: int = 0
    """In how many of the decisions the cards differ."""

    def play(self, number: int) -> None:
        """Play a deal and compare."""
        rng = random.Random(number)
        deal = Deal(self.rules, deal_hands(self.rules, self.seed, number), number=number)
        found: list[tuple[float, float]] = []
        choices = 0
        while not deal.is_over:
            for seat in deal.to_act:
                view = self._view(deal, rng)
                if deal.phase is not Phase.PLAY:
                    deal.apply(seat, decide(load_bot("counting")(), View(*deal.known_to(seat))))
                    continue
                if len(view.legal) > 1:
                    choices += 1
                    if not rng.randrange(ASKED):
                        found.append(self._compare(deal, rng))
                deal.apply(seat, quick_card(view) if len(view.legal) > 1 else view.legal[0])
        if found:
            for gains, values in zip(self.gains, zip(*found, strict=True), strict=True):
                gains.append(statistics.fmean(values) * choices / self.rules.players)

    def _view(self, deal: Deal, rng: random.Random) -> View:
        view = View(*deal.known_to(deal.to_act[0]))
        view.totals, view.seed = (0,) * self.rules.players, rng.getrandbits(64)
        return view

    def _compare(self, deal: Deal, rng: random.Random) -> tuple[float, float]:
        cards = []
        for player, used in zip((by_tree, by_playouts), self.used, strict=True):
            view, began = self._view(deal, rng), time.thread_time()
            cards.append(player(view, self.seconds))
            used.append(1000 * (time.thread_time() - began))
        self.decisions += 1
        if cards[0] == cards[1]:
            return 0.0, 0.0
        self.differ += 1
        one, other = (after(deal, card, rng.getrandbits(64)) for card in cards)
        return one[0] - other[0], one[1] - other[1]

    def row(self) -> tuple[str, ...]:
        """Give the figures of the variant."""
        texts = []
        for gains in self.gains:
            mean, error = mean_and_error(gains)
            digits = 2 if error < 1 else 1 if error < 10 else 0
            texts.append(f"{mean:+.{digits}f} ± {error:.{digits}f} ({in_errors(mean, error)})")
        took = (f"{statistics.fmean(times):.1f}" for times in self.used)
        return self.rules.name, f"{self.decisions:,}", f"{100 * self.differ / self.decisions:.0f} %", *texts, *took


def quick_card(view: View) -> Card:
    """Choose by few playouts."""
    return race(view.legal, partial(card_trial, view, Policy.CAREFUL), float("inf"), 2)


def after(deal: Deal, card: Card, seed: int) -> tuple[float, float]:
    """Give the points against the mean of all seats after a card, by each of `WAYS`."""
    seat, then, engine = deal.turn, deal.copy(), native.engine()
    then.play(card)
    if then.phase is not Phase.PLAY or engine is None:
        then = settled(then)
        worth = margin(deal.rules, then.scores(), seat) / deal.rules.players
        return worth, worth
    rng = random.Random(seed)
    learned = engine.learned_playouts(then, TIMES, SimRandom(seed).state)
    careful = [statistics.fmean(points) for points in zip(*(playout(then, rng=rng) for _ in range(TIMES)), strict=True)]
    players = deal.rules.players
    return margin(deal.rules, learned, seat) / players, margin(deal.rules, careful, seat) / players


def settled(deal: Deal) -> Deal:
    """Bring a deal to its end by default actions."""
    while not deal.is_over:
        deal.apply(deal.turn, deal.default_action(deal.turn))
    return deal


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("--ms", type=float, default=4.0, help="CPU time for a card; default 4")
    parser.add_argument("--minutes", type=float, default=20.0, help="wall-clock time for all variants; default 20")
    parser.add_argument("--rules", action="append", choices=sorted(PRESETS), help="may be repeated; default all")
    parser.add_argument("--seed", default="choices", help="any text; the same text gives the same hands")
    options = parser.parse_args()
    if native.engine() is None:
        parser.error("this needs the accelerated engine: run scripts/venv")
    seed, names = seed_from(options.seed), options.rules or list(PRESETS)
    compared = [Comparison(PRESETS[name], options.ms / 1000, seed) for name in names]
    for number in rounds(options.minutes):
        for each in compared:
            each.play(number)
    print(machine())
    show(
        f"Cards of tree against cards of sampling, {options.ms:g} ms a card: points better in a deal",
        ("", "decisions", "differ", *(f"played on {way}" for way in WAYS), "tree's ms", "sampling's ms"),
        [each.row() for each in compared],
    )


if __name__ == "__main__":
    main()
