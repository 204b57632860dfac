"""
How strong the sample bots are: every pair of them in every variant, on the engine, without the wire.

    python benchmarks/strength.py --deals 400
    python benchmarks/strength.py --variant gongzhu --variant hearts --deals 2000 --seed pig

Each deal is dealt once. The two bots share the table, and from deal to deal they take turns in every seating; in
a partner variant one bot sits in both chairs of a team. A line shows by how many points per deal the stronger
bot is better than the weaker one (in a partner variant: team against team), the standard error over deals, and
their ratio. `even` has two chairs each (at five seats two or three), `alone` has one chair of the stronger bot
against the weaker one in all others.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from pigpen.bot import Bot, decide
from pigpen.rules import PRESETS, Deal, Phase, Rules, deal_hands, seed_from
from pigpen.rules.shuffle import derived_number
from pigpen.view import View

BOTS = ("random", "cautious", "counting", "sampling")
FOLDER = Path(__file__).parents[1] / "sample_bots"

BotMaker = Callable[[], Bot]


def load_bot(name: str) -> BotMaker:
    """The bot class in ``sample_bots/<name>/bot.py``."""
    spec = importlib.util.spec_from_file_location(f"sample_bots_{name}", FOLDER / name / "bot.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(FOLDER / name / "bot.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    maker: BotMaker = getattr(module, name.capitalize())
    return maker


@dataclass
class Think:
    """Seconds per decision of each bot class."""

    times: dict[str, list[float]] = field(default_factory=dict)

    def add(self, bot: Bot, seconds: float) -> None:
        """Note one decision."""
        self.times.setdefault(type(bot).__name__.lower(), []).append(seconds)


def play_deal(rules: Rules, bots: Sequence[Bot], seed: bytes, number: int, think: Think | None = None) -> Deal:
    """Play one deal to its end; every decision goes through the engine's checks."""
    deal = Deal(rules, deal_hands(rules, seed, number), number=number)
    own = [derived_number("bot", seed, number, seat) for seat in range(rules.players)]
    while not deal.is_over:
        for seat in deal.to_act:
            known: tuple[Any, ...] = deal.view(seat).known()
            view = View(rules, *known)
            view.totals, view.seed = (0,) * rules.players, own[seat]
            begun = time.perf_counter()
            action = decide(bots[seat], view)
            if think and (len(view.legal) > 1 or view.phase is Phase.MOON):
                think.add(bots[seat], time.perf_counter() - begun)
            deal.apply(seat, action)
    return deal


def seatings(rules: Rules, chairs: int) -> list[tuple[int, ...]]:
    """Every way to give a bot *chairs* of the table; in a partner variant the two teams."""
    if rules.partners:
        return [(0, 2), (1, 3)]
    return list(combinations(range(rules.players), chairs))


def advantages(
    rules: Rules, strong: BotMaker, weak: BotMaker, chairs: int, numbers: Iterable[int], seed: bytes,
    think: Think | None = None,
) -> Iterator[float]:  # fmt: skip
    """Points per deal by which *strong* did better than *weak*, deal by deal; above zero is better in every variant."""
    places = seatings(rules, chairs)
    sign = -1 if rules.low_is_better else 1
    for number in numbers:
        # Directions of the pass have a cycle too: step through the seatings once per cycle.
        seats = places[number // len(rules.plan.pass_offsets) % len(places)]
        bots = [strong() if seat in seats else weak() for seat in range(rules.players)]
        scores = play_deal(rules, bots, seed, number, think).scores()
        ours = [score for seat, score in enumerate(scores) if seat in seats]
        others = [score for seat, score in enumerate(scores) if seat not in seats]
        yield sign * (statistics.fmean(ours) - statistics.fmean(others))


def measure(values: Sequence[float]) -> tuple[float, float]:
    """Mean and standard error."""
    return statistics.fmean(values), statistics.stdev(values) / len(values) ** 0.5


def show(rules: Rules, strong: str, weak: str, deals: int, seed: bytes, think: Think) -> None:
    cells = []
    for chairs in (rules.players // 2, 1):
        mean, error = measure(list(advantages(
            rules, load_bot(strong), load_bot(weak), chairs, range(deals), seed, think,
        )))  # fmt: skip
        cells.append(f"{mean:+8.2f} ± {error:5.2f} ({mean / error if error else 0:5.1f} se)")
        if rules.partners:
            break
    print(f"{rules.name:17} {strong:>8} > {weak:8}  " + "   ".join(cells), flush=True)


def show_times(think: Think) -> None:
    print("\nmilliseconds per decision with a choice   median     99 %      max")
    for name, times in sorted(think.times.items()):
        ordered = sorted(seconds * 1000 for seconds in times)
        print(
            f"{name:41}{statistics.median(ordered):7.3f}  {ordered[len(ordered) * 99 // 100]:7.3f}  {ordered[-1]:7.3f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("--deals", type=int, default=400, help="deals per table")
    parser.add_argument("--seed", default="strength", help="any text; the same text gives the same table")
    parser.add_argument("--variant", action="append", choices=sorted(PRESETS), help="may be repeated; default all")
    parser.add_argument("--pair", help="only this pair, stronger first, such as counting:cautious")
    options = parser.parse_args()
    pairs = [tuple(options.pair.split(":"))] if options.pair else [
        ("cautious", "random"), ("counting", "random"), ("counting", "cautious"), ("sampling", "counting"),
    ]  # fmt: skip
    think = Think()
    print(f"{'points per deal':40}{'even':>25}   {'alone':>25}")
    for name in options.variant or PRESETS:
        for strong, weak in pairs:
            show(PRESETS[name], strong, weak, options.deals, seed_from(options.seed), think)
    show_times(think)


if __name__ == "__main__":
    main()
