"""
Number of deals that `pigpen compare` needs, against independent deals, and its rate of errors.

`counting` against a copy that blunders: real deals are played once, with each design, in this process; then many tests
draw their observations from these with replacement. The mean difference is put to the same figure in both designs, the
one that the boards show, since single deals tell it much less well. Under the null, two copies that blunder at
different cards are compared, and each board's difference counts for the one or the other by the toss of a coin.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.report import show
from ladder.matches.compare import Comparison, ComparisonPlan, compare
from ladder.matches.inline import play_inline
from ladder.ratings.sprt import ELO, Hypotheses, SequentialTest, SprtDecision
from ladder.sandbox.bots.bot_source import BotSource, find_bot
from pigpen.rules import PRESETS, Rules, seed_from
from referee.match.formats import Format, MatchSpec
from referee.records.lines import AnyLine, DealLine

HERE = Path(__file__).resolve().parent
COUNTING = find_bot("counting")
BLUNDERING = BotSource("blundering", folder=HERE / "blundering")
BLUNDERING_TOO = BotSource("blundering-too", folder=HERE / "blundering_too")
OPPONENTS = [COUNTING] * 3
FOUR_PLAYERS = [name for name, rules in PRESETS.items() if rules.players == 4 and not rules.partners]
UNDECIDED = Hypotheses(alpha=1e-300, beta=1e-300)
"""A test that never stops."""
TESTS = 400
MAX_OBSERVATIONS = 20_000
"""Observations after which a test is given up."""
LOOKS = 8
"""Observations between two looks."""


def board_differences(rules: Rules, old: BotSource, new: BotSource, boards: int) -> list[float]:
    """Play boards, and give the points per deal by which *new* beats *old* on each of them."""
    sources = [old, new, *OPPONENTS]
    plan = ComparisonPlan(rules, tuple(source.name for source in sources), UNDECIDED, boards, seed_from("compare"))

    async def play(spec: MatchSpec, bots: Sequence[int], write: Callable[[AnyLine], None]) -> object:
        return await play_inline(spec, [sources[bot] for bot in bots], write)

    def look(found: Comparison) -> None:
        pass

    return asyncio.run(compare(plan, play, look)).test.values


def points(rules: Rules, bot: BotSource, deals: int, seed: str) -> list[int]:
    """Play *deals* independent deals, and give the points of *bot* in each, turned so that more is better."""
    sign = -1 if rules.low_is_better else 1
    found: list[int] = []

    def take(line: AnyLine) -> None:
        if isinstance(line, DealLine):
            found.append(sign * line.scores[0])

    spec = MatchSpec(rules, (bot.name, "b", "c", "d"), Format(deals=deals), seed=seed_from(seed))
    asyncio.run(play_inline(spec, [bot, *OPPONENTS], take))
    return found


def run(draw: Callable[[random.Random], float], elo1: float) -> tuple[float, float]:
    """Run many tests; give the mean number of observations, and the share that found the new bot better."""
    rng = random.Random(1)
    lengths, better = [], 0
    for _ in range(TESTS):
        test = SequentialTest(Hypotheses(elo1=elo1))
        while test.decision is SprtDecision.OPEN and len(test.values) < MAX_OBSERVATIONS:
            test.add(*(draw(rng) for _ in range(LOOKS)))
        lengths.append(len(test.values))
        better += test.decision is SprtDecision.BETTER
    return statistics.fmean(lengths), better / TESTS


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("--boards", type=int, default=600)
    parser.add_argument("--rules", default="gongzhu", choices=FOUR_PLAYERS)
    options = parser.parse_args()
    boards, rules = options.boards, PRESETS[options.rules]
    differences = board_differences(rules, BLUNDERING, COUNTING, boards)
    null = board_differences(rules, BLUNDERING, BLUNDERING_TOO, boards)
    old, new = points(rules, BLUNDERING, 4 * boards, "old"), points(rules, COUNTING, 4 * boards, "new")

    worth = statistics.fmean(differences)
    shift = worth - statistics.fmean(new) + statistics.fmean(old)
    apart = math.hypot(statistics.stdev(old), statistics.stdev(new))
    designs: dict[str, tuple[int, float, Callable[[random.Random], float], Callable[[random.Random], float]]] = {
        "pigpen compare: one board": (
            2 * rules.players,
            statistics.stdev(differences),
            lambda rng: rng.choice(differences),
            lambda rng: rng.choice(null) * rng.choice((-1, 1)),
        ),
        "independent deals: one for each bot": (
            2,
            apart,
            lambda rng: rng.choice(new) - rng.choice(old) + shift,
            lambda rng: rng.choice(old) - rng.choice(old),
        ),
    }
    rows: list[list[str]] = []
    needed: list[float] = []
    for name, (deals, deviation, draw, draw_null) in designs.items():
        elo1 = ELO * worth / deviation  # the same points per deal in both designs
        length, better = run(draw, elo1)
        null_length, wrong = run(draw_null, elo1)
        needed.append(length * deals)
        costs = f"{length * deals:.0f}", f"{1 - better:.1%}", f"{null_length * deals:.0f}", f"{wrong:.1%}"
        rows.append([name, f"{deviation:.0f}", f"{elo1:.0f}", *costs])
    show(
        f"{rules.name}: counting against a copy that blunders 10 % of its cards: {worth:+.1f} a deal; {TESTS} tests",
        ("an observation is", "sd", "elo1", "deals needed", "missed", "deals, equal bots", "false alarms"),
        rows,
    )
    print(f"independent deals need {needed[1] / needed[0]:.1f} times as many; {boards} boards for each pool")


if __name__ == "__main__":
    main()
