"""
Train the policy by which tree search plays deals to their end, and judges how plausible the others' plays are.

    python -m benchmarks.learning
    python -m benchmarks.learning --deals 1000 --write sdk/pigpen/sim/native/weights.h
    python -m benchmarks.learning --rules hearts --rules gongzhu --deals 20

Deals of every variant are played by bots that simulate, as `sampling` does. The policy learns to choose as they did: a
card's weight is the product of one number from each of four tables, and its probability its share of the weights of all
legal cards. What the tables look at is in sdk/pigpen/sim/native/learned.h.

Each tenth deal is not learned from. Of these the command prints the mean negative logarithm of the chosen card's
probability, by chance, by the new weights and by those in use (sdk/pigpen/sim/native/weights.h), by how much the new
ones are better, ± one standard error over deals, and how often their likeliest card was chosen. With 150 deals of each
variant it takes about ten minutes of one core.

What it writes is compiled by scripts/venv.
"""

from __future__ import annotations

import argparse
import os
import re
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.duels import mean_and_error
from benchmarks.report import show
from pigpen import Card, View
from pigpen.bot import decide
from pigpen.rules import PRESETS, Deal, Phase, Rules, deal_hands, seed_from
from pigpen.rules.shuffle import derived_number
from pigpen.search import SearchBot, card_trial, race, sealed_trial, some_passes
from pigpen.sim import native
from pigpen.sim.native.binding import FACTORS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pigpen.sim.native.binding import Engine

Numbers = NDArray[Any]
Decision = tuple[list[tuple[int, ...]], int]
"""The places in the tables of each legal card; which of them was chosen."""

IN_USE = Path(native.__file__).with_name("weights.h")
"""The weights from which the engine was compiled."""

WEIGHTS = 4184
"""Numbers in the tables."""
HELD_OUT = 10
"""Each deal with a number that this divides is not learned from."""
EPOCHS, RATE, BATCH, SHRINKING = 6, 0.05, 1024, 1e-4
MOMENT, SQUARE = 0.9, 0.999
"""Those of Adam (Kingma and Ba, 2015)."""
HEAD = "// Made by benchmarks/learning.py: the tables of learned.h.\n\nstatic const float WEIGHT[] = {\n"


class Teacher(SearchBot):
    """Chooses as `sampling` does, with half of the trials for a card and few for a pass."""

    def play(self, view: View) -> Card:
        """Try each legal card."""
        return race(view.legal, partial(card_trial, view, self.policy), float("inf"), 20)

    def pass_cards(self, view: View) -> tuple[Card, ...]:
        """Try each pass."""
        return race(some_passes(view), partial(sealed_trial, view, self.policy), float("inf"), 12)


@dataclass
class Examples:
    """Decisions; a card that is not legal is masked."""

    seen: Numbers
    """Places in the tables, by decision, card and table."""
    legal: Numbers
    """True where there is such a card, by decision and card."""
    chosen: Numbers
    """The card chosen, by decision."""

    @classmethod
    def of(cls, decisions: Sequence[Decision]) -> Examples:
        """Pack decisions: what was seen of each legal card, and which one was chosen."""
        most = max(len(cards) for cards, _ in decisions)
        seen = np.zeros((len(decisions), most, FACTORS), np.int32)
        legal = np.zeros((len(decisions), most), bool)
        for row, (cards, _) in enumerate(decisions):
            seen[row, : len(cards)], legal[row, : len(cards)] = cards, True
        return cls(seen, legal, np.array([chosen for _, chosen in decisions]))

    def some(self, rows: Numbers) -> Examples:
        """Give some of the decisions."""
        return Examples(self.seen[rows], self.legal[rows], self.chosen[rows])

    def probabilities(self, logs: Numbers) -> Numbers:
        """Give the probability of each card, by the logarithms of the weights."""
        sums = np.where(self.legal, logs[self.seen].sum(-1), -np.inf)
        parts = np.exp(sums - sums.max(1, keepdims=True))
        shares: Numbers = parts / parts.sum(1, keepdims=True)
        return shares

    def surprise(self, logs: Numbers) -> Numbers:
        """Give the negative logarithm of the chosen card's probability, by decision."""
        found = self.probabilities(logs)
        logarithms: Numbers = -np.log(found[np.arange(len(found)), self.chosen])
        return logarithms


def row(deals: Sequence[Sequence[Decision]], logs: Numbers, in_use: Numbers) -> tuple[str, ...]:
    """Say how well the policy foresees the choices of some deals, by new weights and by those in use."""
    parts = [Examples.of(deal) for deal in deals]
    new, old = ([part.surprise(each) for part in parts] for each in (logs, in_use))
    better, error = mean_and_error([float((two - one).mean()) for one, two in zip(new, old, strict=True)])
    chance = np.concatenate([np.log(part.legal.sum(1)) for part in parts]).mean()
    likeliest = np.concatenate([part.probabilities(logs).argmax(1) == part.chosen for part in parts])
    means = (f"{each:.3f}" for each in (chance, np.concatenate(new).mean(), np.concatenate(old).mean()))
    return f"{len(likeliest):,}", *means, f"{better:+.4f} ± {error:.4f}", f"{100 * likeliest.mean():.0f} %"


def decisions(engine: Engine, rules: Rules, seed: bytes, number: int) -> Iterator[Decision]:
    """Play a deal; give each decision with a choice of cards."""
    deal, bot = Deal(rules, deal_hands(rules, seed, number), number=number), Teacher()
    while not deal.is_over:
        for seat in deal.to_act:
            view = View(*deal.known_to(seat))
            view.totals, view.seed = (0,) * rules.players, derived_number("bot", seed, number, seat)
            action = decide(bot, view)
            if deal.phase is Phase.PLAY and len(view.legal) > 1:
                yield engine.features(deal), view.legal.index(action)
            deal.apply(seat, action)


def decided(name: str, seed: bytes, number: int) -> list[Decision]:
    """Play a deal of a variant in this process; give its decisions."""
    engine = native.engine()
    assert engine
    return [*decisions(engine, PRESETS[name], seed, number)]


def learn(examples: Examples, start: Numbers | None = None) -> Numbers:
    """
    Find the logarithms of the weights: multinomial logistic regression by Adam.

    They begin with those of *start*, and stay near them where the examples say little; by default all weights are 1.
    """
    first, moment, square = np.zeros((3, WEIGHTS))
    first = first if start is None else start
    logs = first
    rng, step = np.random.default_rng(0), 0
    for epoch in range(EPOCHS):
        order = rng.permutation(len(examples.chosen))
        for begin in range(0, len(order), BATCH):
            batch, step = examples.some(order[begin : begin + BATCH]), step + 1
            errors = batch.probabilities(logs)
            errors[np.arange(len(errors)), batch.chosen] -= 1
            slope = np.bincount(batch.seen.ravel(), np.repeat(errors.ravel(), FACTORS), WEIGHTS) / len(errors)
            slope += SHRINKING * (logs - first)
            moment = MOMENT * moment + (1 - MOMENT) * slope
            square = SQUARE * square + (1 - SQUARE) * slope * slope
            size = np.sqrt(square / (1 - SQUARE**step)) + 1e-6
            logs = logs - RATE * (1 - 0.9 * epoch / EPOCHS) * moment / (1 - MOMENT**step) / size
    return logs


def written(logs: Numbers) -> str:
    """
    Write the weights as C.

    >>> print(written(np.log(np.array([1.0, 0.25]))))
    // Made by benchmarks/learning.py: the tables of learned.h.
    <BLANKLINE>
    static const float WEIGHT[] = {
        1.000f, 0.2500f,
    };
    <BLANKLINE>
    """
    texts = [f"{weight:#.4g}" for weight in np.exp(logs)]
    lines = wrap(", ".join(f"{text}f" for text in texts), 110, initial_indent="    ", subsequent_indent="    ")
    return HEAD + "\n".join(lines) + ",\n};\n"


def read(file: Path) -> Numbers:
    """
    Read the logarithms of weights that were written as C.

    Raises:
        ValueError: If there are not as many as the tables have.
    """
    weights = [float(text) for text in re.findall(r"([0-9.e+-]+)f,", file.read_text(encoding="utf-8"))]
    if len(weights) != WEIGHTS:
        raise ValueError(f"{file} has {len(weights)} weights, not {WEIGHTS}")
    logs: Numbers = np.log(np.array(weights))
    return logs


def main() -> None:
    """Play, train, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("--deals", type=int, default=150, help="number of deals of each variant; default 150")
    parser.add_argument("--rules", action="append", choices=sorted(PRESETS), help="may be repeated; default all")
    parser.add_argument("--seed", default="training", help="any text; the same text gives the same weights")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="default: one for each core")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the weights into this file")
    options = parser.parse_args()
    if native.engine() is None:
        parser.error("this needs the accelerated engine: run scripts/venv")
    if options.deals <= HELD_OUT or options.processes < 1:
        parser.error(f"--deals must be {HELD_OUT + 1} or more, and --processes 1 or more")
    if options.write and not options.write.parent.is_dir():
        parser.error(f"--write: there is no folder {options.write.parent}; make it first")
    names, in_use = options.rules or list(PRESETS), read(IN_USE)
    played = _played(names, seed_from(options.seed), options.deals, options.processes)
    learned = [deal for deals in played.values() for number, deal in enumerate(deals) if number % HELD_OUT]
    logs = learn(Examples.of([*chain.from_iterable(learned)]))
    held_out = {name: deals[::HELD_OUT] for name, deals in played.items()}
    held_out["all"] = [*chain.from_iterable(held_out.values())]
    rows = [(name, *row(deals, logs, in_use)) for name, deals in held_out.items()]
    show("Choices foreseen", ("", "decisions", "by chance", "by the new weights", "by those in use", "new ones better",
                              "likeliest chosen"), rows)  # fmt: skip
    if options.write:
        options.write.write_text(written(logs), encoding="utf-8")


def _played(names: Sequence[str], seed: bytes, deals: int, processes: int) -> dict[str, list[list[Decision]]]:
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        return {name: [*pool.map(partial(decided, name, seed), range(deals))] for name in names}


if __name__ == "__main__":
    main()
