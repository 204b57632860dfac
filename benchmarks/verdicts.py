"""
Agreement of `pigpen why` about a card with a solution of the open cards, by playouts and by tree search.

    python -m benchmarks.verdicts
    python -m benchmarks.verdicts --decisions 500 --rules hearts

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
from itertools import islice

from benchmarks.duels import load_bot, mean_and_error
from benchmarks.machine import machine
from benchmarks.report import show
from ladder.matches.estimate import FULL, Effort, estimates
from pigpen import Card, TooLong, View, margin, solve
from pigpen.bot import decide
from pigpen.rules import PRESETS, Deal, Phase, Rules, deal_hands, seed_from
from pigpen.rules.shuffle import derived_number

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


def main() -> None:
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
    main()
