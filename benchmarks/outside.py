"""
Strength of the sample bots against an outside yardstick: OpenSpiel's Monte Carlo tree search.

    python -m benchmarks.outside
    python -m benchmarks.outside --boards 40 --simulations 1000 --rules hearts-jack

examples/openspiel seats it: it searches 20 deals that fit what its seat knows, and sees all hands of each. Whole
matches of the referee with bots in this process, on boards, two seats each. No bot can be late on any machine.
"""

from __future__ import annotations

import argparse
import statistics

from benchmarks.duels import BOTS, Duel, duel, in_errors, load_bot, number_of_boards
from benchmarks.part_runner import machine
from benchmarks.report import show
from examples.openspiel import bot as openspiel
from pigpen.rules import PRESETS, seed_from


def row(sample: str, found: Duel) -> tuple[str, ...]:
    """Make one line of the table."""
    mean, error = found.better()
    ours, theirs = (f"{statistics.median(times):.1f} ({max(times):.0f})" for times in found.took)
    return sample, f"{mean:+.2f} ± {error:.2f}", in_errors(mean, error), ours, theirs, str(found.faults)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("--boards", type=number_of_boards, default=20)
    parser.add_argument("--seed", default="outside", help="any text; the same text gives the same boards")
    parser.add_argument("--rules", default="hearts", choices=sorted(openspiel.GAMES))
    parser.add_argument("--simulations", type=int, default=openspiel.SIMULATIONS, help="in each of the 20 deals")
    parser.add_argument("--bot", action="append", choices=BOTS, help="may be repeated; default all")
    options = parser.parse_args()
    openspiel.SIMULATIONS = options.simulations
    rules, seed = PRESETS[options.rules], seed_from(options.seed)
    rows = [
        row(sample, duel(rules, load_bot(sample), openspiel.OpenSpiel, options.boards, seed))
        for sample in options.bot or BOTS
    ]
    print(machine())
    show(
        f"{options.rules}: points per deal better than OpenSpiel's MCTS with {openspiel.DEALS} × "
        f"{options.simulations:,} simulations, {options.boards} boards (± one standard error)",
        ("", "better by", "in se", "ms (most)", "its ms (most)", "faults"),
        rows,
    )


if __name__ == "__main__":
    main()
