"""
Quality of single cards: those that `tree` chooses, and those that `pigpen why` recommends.

    python -m benchmarks.choices cards --minutes 20
    python -m benchmarks.choices cards --ms 40 --rules gongzhu --minutes 10
    python -m benchmarks.choices verdicts --decisions 500 --rules hearts

*cards*: the cards that `tree` chooses, against those of `sampling`, in every variant: quicker than whole matches. Deals
are played by bots that `tree` was not trained on and that simulate little. In a third of the decisions both choose a
card, each with the same CPU time. Where the cards differ, the deal is played to its end 200 times after each of them,
with the hands as they really are: by the policy that `tree` learned, and by that of `sampling` (`Policy.CAREFUL`). Each
policy favours the bot that searches by it, so the truth should lie between. A figure is the difference in points
against the mean of all seats, for one seat in a whole deal, ± one standard error over deals. A match
(`python -m benchmarks.tree`) has no such bias, but needs some ten times as much time for the same error.

*verdicts*: agreement of `pigpen why` about a card with a solution of the open cards, by playouts and by tree search.
Matches of sample bots are played. Of the decisions in their last tricks those count in which the real cards, all hands
open, make a difference. For each way to estimate, the table says how often its best card is one of the solution's best,
what its best card loses by the solution on average, in points against the mean of all seats, and how well its costs
follow those of the solution (Pearson's correlation over all cards of all decisions). Both ways get their full number of
deals, and know only what the seat knew; so neither can agree always.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice

from benchmarks.duels import in_errors, load_bot, mean_and_error
from benchmarks.part_runner import choose, machine
from benchmarks.report import show
from benchmarks.tree import by_playouts, by_tree, rounds
from ladder.matches.estimate import FULL, Effort, estimates
from pigpen import Card, Policy, TooLong, View, margin, solve
from pigpen.bot import decide
from pigpen.rules import PRESETS, Deal, Phase, Rules, deal_hands, seed_from
from pigpen.rules.shuffle import derived_number
from pigpen.search import card_trial, race
from pigpen.sim import native
from pigpen.sim.playout import playout
from pigpen.sim.sim_random import SimRandom

ASKED = 3
"""One decision in this number is put to both bots."""

TIMES = 200
"""Times that a deal is played to its end after a card."""

CHOICES = ("by the learned policy", "by CAREFUL")


@dataclass
class Comparison:
    """Decisions of one variant."""

    rules: Rules
    seconds: float
    """CPU time for a card."""
    seed: bytes
    gains: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))
    """Points that `tree` is better in a deal, deal by deal, when the deal is played on in each of `CHOICES`."""
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
    """Give the points against the mean of all seats after a card, by each of `CHOICES`."""
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


def main_choices() -> None:
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
        ("", "decisions", "differ", *(f"played on {way}" for way in CHOICES), "tree's ms", "sampling's ms"),
        [each.row() for each in compared],
    )


BOTS = ("counting", "cautious", "counting", "cautious", "counting")

TRICKS = 5
"""From how many tricks before the end decisions count."""

LIMIT = 20_000
"""The largest number of positions that are searched to solve one."""

WAYS = {"playouts": replace(FULL, searched=0), "tree search": FULL}


@dataclass
class Agreement:
    """Agreement of one way to estimate with the solution."""

    best: list[float] = field(default_factory=list)
    """1 where its best card is one of the solution's best, else 0."""
    lost: list[float] = field(default_factory=list)
    """Loss of its best card by the solution."""
    costs: list[tuple[float, float]] = field(default_factory=list)
    """Cost of each card by the estimate and by the solution."""
    took: list[float] = field(default_factory=list)
    """CPU time of a decision, in ms."""

    def note(self, view: View, effort: Effort, worth: dict[Card, float]) -> None:
        """Estimate a decision and compare; *worth* has the margin after each card by the solution."""
        began, top = time.thread_time(), max(worth.values())
        found = estimates(view, derived_number("verdict", view.seed.to_bytes(8), len(view.plays)), effort)
        self.took.append(1000 * (time.thread_time() - began))
        losses = {card: top - value for card, value in worth.items()}
        first = losses[found[0].action]  # type: ignore[index]
        self.best.append(float(first == 0))
        self.lost.append(first)
        self.costs += [(each.behind, losses[each.action]) for each in found]  # type: ignore[index]

    def row(self) -> tuple[str, ...]:
        """Give the figures."""
        best, lost = mean_and_error(self.best), mean_and_error(self.lost)
        follows = statistics.correlation(*zip(*self.costs, strict=True))
        return (
            f"{100 * best[0]:.1f} ± {100 * best[1]:.1f} %",
            f"{lost[0]:.2f} ± {lost[1]:.2f}",
            f"{follows:.3f}",
            f"{statistics.median(self.took):.0f}",
        )


def endings(rules: Rules, seed: bytes) -> Iterator[tuple[View, dict[Card, float]]]:
    """Play deals; give the view of each decision near their ends, and what each card is worth by the solution."""
    bots = [load_bot(name)() for name in BOTS[: rules.players]]
    for number in range(1_000_000):
        deal, rng = Deal(rules, deal_hands(rules, seed, number), number=number), random.Random(number)
        while not deal.is_over:
            for seat in deal.to_act:
                view = View(*deal.known_to(seat))
                view.totals, view.seed = (0,) * rules.players, rng.getrandbits(64)
                if worth := solved(deal, seat):
                    yield view, worth
                deal.apply(seat, decide(bots[(seat + number) % rules.players], replace(view)))


def solved(deal: Deal, seat: int) -> dict[Card, float]:
    """Give the margin after each card; nothing where it is early, takes too long, or makes no difference."""
    if deal.phase is not Phase.PLAY or len(deal.legal(seat)) == 1 or deal.hands[seat].bit_count() > TRICKS:
        return {}
    try:
        choices = solve(deal, LIMIT).choices
    except TooLong:
        return {}
    worth = {card: margin(deal.rules, scores, seat) / deal.rules.players for card, scores in choices.items()}
    return worth if len({*worth.values()}) > 1 else {}


def main_verdicts() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("--decisions", type=int, default=200, help="number of decisions of each variant; default 200")
    parser.add_argument("--rules", action="append", choices=sorted(PRESETS), help="may be repeated; default all")
    parser.add_argument("--seed", default="verdicts", help="any text; the same text gives the same table")
    options = parser.parse_args()
    rows = []
    for name in options.rules or list(PRESETS):
        found = {way: Agreement() for way in WAYS}
        for view, worth in islice(endings(PRESETS[name], seed_from(options.seed)), options.decisions):
            for way, effort in WAYS.items():
                found[way].note(replace(view), effort, worth)
        rows += [(name, way, *found[way].row()) for way in WAYS]
    print(machine())
    heads = ("", "", "best card agrees", "points lost", "correlation", "ms")
    show(f"Agreement with the open cards, {options.decisions} decisions, {TRICKS} tricks or fewer to go", heads, rows)


if __name__ == "__main__":
    choose(__doc__, {"cards": main_choices, "verdicts": main_verdicts})
