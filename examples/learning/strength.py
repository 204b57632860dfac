"""
Say by how many points a deal a bot is better than another one.

    python -m examples.learning.strength mybot counting --boards 400

Two seats each, on boards: both play the same cards in the same seats, and the mean of each board is one value.
"""

from __future__ import annotations

import argparse
import statistics
from collections import defaultdict

import pigpen_arena as arena
from examples.learning.train import RULES


def better_by(bot: str, other: str, boards: int, seed: str) -> tuple[float, float]:
    """Return the mean over the boards, in points a deal, and its standard error."""
    match = arena.play([bot, other, bot, other], rules=RULES, boards=boards, seed=seed)
    rows = match.rows("deals")
    # Low scores are better.
    sides = {row["bot"]: -1 if row["seat"] in (0, 2) else 1 for row in rows if row["rotation"] == 1}
    of_board = defaultdict[object, list[float]](list)
    for row in rows:
        of_board[row["board"]].append(2 * sides[row["bot"]] * float(row["score"] or 0))
    means = [statistics.mean(each) for each in of_board.values()]
    return statistics.mean(means), statistics.stdev(means) / len(means) ** 0.5


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bot", help="a bot's folder or name")
    parser.add_argument("other", help="another one")
    parser.add_argument("--boards", type=int, default=400, help="2 or more")
    parser.add_argument("--seed", default="strength")
    options = parser.parse_args()
    mean, error = better_by(options.bot, options.other, options.boards, options.seed)
    found = f"{mean:+.2f} ± {error:.2f} points a deal ({mean / error:+.1f} se)"
    print(f"{options.bot} is better than {options.other} by {found}")


if __name__ == "__main__":
    main()
