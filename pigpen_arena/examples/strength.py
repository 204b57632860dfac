"""
Say by how many points a deal a bot is better than another one.

    python -m pigpen_arena.examples.strength learned counting --boards 400
    python -m pigpen_arena.examples.strength learned counting --boards 400 --alone

Two seats each, or one against three with --alone, on boards: all play the same cards in the same seats, and the mean
of each board is one value. The boards are drawn from --seed; those of training are others.
"""

from __future__ import annotations

import argparse
import statistics
from collections import defaultdict

import pigpen_arena as arena
from pigpen_arena.examples.bot.bot import TRAINED


def better_by(bot: str, other: str, boards: int, seed: str, *, alone: bool = False) -> tuple[float, float]:
    """Return the mean over the boards, in points a deal, and its standard error."""
    field = [bot, other, other if alone else bot, other]
    match = arena.play(field, rules=TRAINED, boards=boards, seed=seed)
    ours = {match.bots[0]} if alone else {match.bots[0], match.bots[2]}
    scores = defaultdict[object, tuple[list[float], list[float]]](lambda: ([], []))
    for row in match.rows("deals"):
        scores[row["board"]][row["bot"] in ours].append(float(row["score"] or 0))
    means = [statistics.mean(theirs) - statistics.mean(own) for theirs, own in scores.values()]  # low scores are better
    return statistics.mean(means), statistics.stdev(means) / len(means) ** 0.5


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bot", help="a bot's folder or name")
    parser.add_argument("other", help="another one")
    parser.add_argument("--boards", type=int, default=400, help="2 or more")
    parser.add_argument("--alone", action="store_true", help="one seat against three")
    parser.add_argument("--seed", default="strength")
    options = parser.parse_args()
    mean, error = better_by(options.bot, options.other, options.boards, options.seed, alone=options.alone)
    found = f"{mean:+.2f} ± {error:.2f} points a deal ({mean / error:+.1f} se)"
    print(f"{options.bot} is better than {options.other} by {found}")


if __name__ == "__main__":
    main()
