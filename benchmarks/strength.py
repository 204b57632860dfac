"""
Strength of the sample bots: each against weaker ones, in every variant, on boards.

    python -m benchmarks.strength
    python -m benchmarks.strength --boards 1000 --rules gongzhu --rules hearts --pair counting:cautious

A figure says by how many points per deal the first bot is better than the second one, ± one standard error, when both
have two seats each (at five seats the first has three); in brackets their ratio. A board, played from every seat, is
one observation. Bots take as long as they like, and the same seed gives the same table wherever the SDK is accelerated.
"""

from __future__ import annotations

import argparse
import os
import statistics
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from multiprocessing import get_context

from benchmarks.duels import BOTS, Duel, duel, in_errors, load_bot, number_of_boards
from benchmarks.machine import machine
from benchmarks.report import show
from pigpen.rules import PRESETS, seed_from

PAIRS = (
    "cautious:random", "counting:cautious", "sampling:counting", "exact:counting", "tree:counting",
)  # fmt: skip


def fight(variant: str, pair: str, boards: int, seed: str) -> Duel:
    """Play one cell of the table."""
    one, other = pair.split(":")
    return duel(PRESETS[variant], load_bot(one), load_bot(other), boards, seed_from(seed))


def cell(found: Duel) -> str:
    """Write one figure."""
    mean, error = found.better()
    digits = max(0, 2 - len(f"{abs(error):.0f}")) if error >= 1 else 2
    return f"{mean:+.{digits}f} ± {error:.{digits}f} ({in_errors(mean, error)})"


def think_times(duels: Iterable[tuple[str, Duel]]) -> list[tuple[str, ...]]:
    """Give for each bot the median, the 99th percentile and the largest of its times per decision, in ms."""
    times: dict[str, list[float]] = {}
    for pair, found in duels:
        for bot, took in zip(pair.split(":"), found.took, strict=True):
            times.setdefault(bot, []).extend(took)
    rows = []
    for bot in sorted(times, key=BOTS.index):
        took = sorted(times[bot])
        rows.append(
            (bot, *(f"{each:.2f}" for each in (statistics.median(took), took[len(took) * 99 // 100], took[-1])))
        )
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("--boards", type=number_of_boards, default=40)
    parser.add_argument("--seed", default="strength", help="any text; the same text gives the same table")
    parser.add_argument("--rules", action="append", choices=sorted(PRESETS), help="may be repeated; default all")
    parser.add_argument("--pair", action="append", choices=[f"{one}:{other}" for one, other in product(BOTS, BOTS)],
                        metavar="STRONGER:WEAKER", help="may be repeated; default " + " ".join(PAIRS))  # fmt: skip
    options = parser.parse_args()
    variants, pairs = options.rules or list(PRESETS), options.pair or list(PAIRS)
    cells = list(product(variants, pairs))
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(fight, *each, options.boards, options.seed) for each in cells]
        found = [each.result() for each in waiting]
    texts = dict(zip(cells, map(cell, found), strict=True))
    print(machine())
    show(
        f"Points per deal better, {options.boards} boards ± one standard error (in standard errors)",
        ("", *(pair.replace(":", " > ") for pair in pairs)),
        [(variant, *(texts[variant, pair] for pair in pairs)) for variant in variants],
    )
    times = think_times(zip([pair for _, pair in cells], found, strict=True))
    show("Milliseconds per decision", ("", "median", "99 %", "largest"), times)


if __name__ == "__main__":
    main()
