"""
Say by how many points a deal a bot is better than each of some others, its anchors.

    python -m pigpen_arena.examples.strength learned counting --boards 400
    python -m pigpen_arena.examples.strength learned counting --boards 400 --alone
    python -m pigpen_arena.examples.strength ./mybot random,cautious,counting,sampling,tree --rules hearts

Two seats each, or one against three with --alone, on boards: all play the same cards in the same seats, and the mean
of each board is one value. The boards are drawn from --seed, the same ones for each anchor; those of training are
others. More is better in every variant.
"""

from __future__ import annotations

import argparse
import statistics
from collections import defaultdict

import pigpen_arena as arena
from ladder.errors import UserError
from pigpen_arena.examples.bot.bot import TRAINED
from referee.records.rules_file import load_rules


def better_by(
    bot: str, other: str, boards: int, seed: str, *, alone: bool = False, rules: str = TRAINED
) -> tuple[float, float]:
    """Return the mean over the boards, in points a deal, and its standard error."""
    field = [bot, other, other if alone else bot, other]
    match = arena.play(field, rules=rules, boards=boards, seed=seed)
    ours = {match.bots[0]} if alone else {match.bots[0], match.bots[2]}
    scores = defaultdict[object, tuple[list[float], list[float]]](lambda: ([], []))
    for row in match.rows("deals"):
        scores[row["board"]][row["bot"] in ours].append(float(row["score"] or 0))
    sign = 1 if load_rules(rules).low_is_better else -1
    means = [sign * (statistics.mean(theirs) - statistics.mean(own)) for theirs, own in scores.values()]
    return statistics.mean(means), statistics.stdev(means) / len(means) ** 0.5


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bot", help="a bot's folder or name")
    parser.add_argument("others", help="the anchors in the same way, with commas between them")
    parser.add_argument("--rules", default=TRAINED, help="a preset, or the path of a TOML file")
    parser.add_argument("--boards", type=int, default=400, help="2 or more")
    parser.add_argument("--alone", action="store_true", help="one seat against three")
    parser.add_argument("--seed", default="strength")
    options = parser.parse_args()
    if options.boards < 2:
        parser.error(f"--boards {options.boards}: play 2 or more, of which an error can be estimated")
    try:
        for other in options.others.split(","):
            mean, error = better_by(
                options.bot, other, options.boards, options.seed, alone=options.alone, rules=options.rules
            )
            errors = f" ({mean / error:+.1f} se)" if error else ""
            print(
                f"{options.bot} is better than {other} by {mean:+.2f} ± {error:.2f} points a deal{errors}", flush=True
            )
    except UserError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
