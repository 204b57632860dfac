"""
Benefit of boards, number of deals that a comparison needs, and forced cards: counted over matches in this process.

    python -m benchmarks.boards errors --boards 1000 --seed pig
    python -m benchmarks.boards compare --boards 600
    python -m benchmarks.boards forced --deals 100

*errors*: the standard error of the difference between two bots, for boards and for as many single deals. `clone` is
`cautious` with a slip in one of twenty cards.

*compare*: number of deals that `pigpen compare` needs, against independent deals, and its rate of errors. `counting`
against a copy that blunders: real deals are played once, with each design, in this process; then many tests draw their
observations from these with replacement. The mean difference is put to the same figure in both designs, the one that
the boards show, since single deals tell it much less well. Under the null, two copies that blunder at different cards
are compared, and each board's difference counts for the one or the other by the toss of a coin.

*forced*: the share of each variant's plays that leave no choice, and are not asked.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import math
import random
import statistics
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.duels import BotMaker, load_bot
from benchmarks.part_runner import choose
from benchmarks.report import show
from ladder.matches.compare import Comparison, ComparisonPlan, compare
from ladder.matches.inline_match import play_inline
from ladder.ratings.sprt import ELO, Hypotheses, SequentialTest, SprtDecision
from ladder.sandbox.bots.bot_source import BotSource, find_bot
from pigpen import Bot, Card, Face, View
from pigpen.rules import PRESETS, Rules, seed_from
from referee.match.formats import Format, MatchSpec
from referee.match.match import Match
from referee.records.lines import AnyLine, DealLine
from referee.records.steps import BY_FORCED
from referee.seats.seat import InlineSeat

SLIPS = 0.05

VARIANTS = ("hearts", "gongzhu")

TABLES = (("cautious", "clone", "cautious", "cautious"), ("cautious", "random", "cautious", "random"))


class Clone(Bot):
    """Plays as `cautious` does, but now and then any card."""

    def __init__(self) -> None:
        self._cautious = load_bot("cautious")()

    def play(self, view: View) -> Card:
        """Slip, or think."""
        return view.rng.choice(view.legal) if view.rng.random() < SLIPS else self._cautious.play(view)

    def pass_cards(self, view: View) -> Iterable[Card]:
        """Pass as the original does."""
        return self._cautious.pass_cards(view)

    def expose(self, view: View) -> Iterable[Card] | Mapping[Card, Face]:
        """Expose as the original does."""
        return self._cautious.expose(view)


def maker_of(name: str) -> BotMaker:
    """Find what makes a sample bot, or a clone."""
    return Clone if name == "clone" else load_bot(name)


def differences(rules: Rules, names: Sequence[str], form: Format, seed: bytes) -> list[float]:
    """Play, and give by how many points per deal bot 0 beats bot 1 on each board, or in each deal without boards."""
    makers = [maker_of(name) for name in names]
    found: defaultdict[int, list[int]] = defaultdict(list)

    @contextlib.asynccontextmanager
    async def open_table(number: int) -> AsyncIterator[list[InlineSeat]]:
        yield [InlineSeat(make()) for make in makers]

    def write(line: AnyLine) -> None:
        if isinstance(line, DealLine):
            seats = line.seats or range(rules.players)
            found[line.deal].append(line.scores[seats.index(0)] - line.scores[seats.index(1)])

    asyncio.run(Match(MatchSpec(rules, tuple(names), form, seed=seed), open_table, write).play())
    return [statistics.fmean(points) for points in found.values()]


def errors(rules: Rules, names: Sequence[str], boards: int, seed: bytes) -> tuple[float, float]:
    """Estimate the standard error of that difference over *boards* boards, and over as many single deals."""
    forms = (Format(boards=boards), Format(deals=boards * rules.players))
    found = [differences(rules, names, form, seed) for form in forms]
    on_boards, on_deals = [statistics.stdev(each) / len(each) ** 0.5 for each in found]
    return on_boards, on_deals


def main_boards() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("--boards", type=int, default=300)
    parser.add_argument("--seed", default="boards", help="any text; the same text gives the same table")
    options = parser.parse_args()
    rows = []
    for variant in VARIANTS:
        for names in TABLES:
            boards, deals = errors(PRESETS[variant], names, options.boards, seed_from(options.seed))
            rows.append((variant, " ".join(names), f"{boards:.2f}", f"{deals:.2f}", f"{(deals / boards) ** 2:.1f}"))
    headings = ("", "table", "± boards", "± deals", "deals for the same ±")
    show(
        f"The first bot against the second, points per deal, {options.boards} boards and as many deals", headings, rows
    )


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


def main_compare() -> None:
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


FORCED_DEALS = 100
SEED = "forced cards"


def forced_and_played(rules: Rules, bot: str, deals: int) -> tuple[int, int]:
    """Count the cards that are forced, and those that are played, in *deals* deals with one sample bot in all seats."""
    lines: list[AnyLine] = []
    names = tuple(f"{bot}{seat}" for seat in range(rules.players))
    spec = MatchSpec(rules, names, Format(deals), seed=seed_from(SEED))
    asyncio.run(play_inline(spec, [find_bot(bot)] * rules.players, lines.append))
    plays = [step.by for line in lines if isinstance(line, DealLine) for step in line.steps if step.play]
    return plays.count(BY_FORCED), len(plays)


def main_forced() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("--deals", type=int, default=FORCED_DEALS)
    parser.add_argument("--bot", default="counting")
    options = parser.parse_args()
    deals, bot = options.deals, options.bot
    found = {name: forced_and_played(rules, bot, deals) for name, rules in PRESETS.items()}
    forced, played = (sum(counts) for counts in zip(*found.values(), strict=True))
    found["all"] = forced, played
    rows = [[name, f"{played:,}", f"{forced:,}", f"{forced / played:.1%}"] for name, (forced, played) in found.items()]
    show(f"Forced cards: {deals} deals of each variant, all seats {bot}", ("", "cards", "forced", "share"), rows)


if __name__ == "__main__":
    choose(__doc__, {"errors": main_boards, "compare": main_compare, "forced": main_forced})
