"""
Train the policy by which tree search plays deals to their end, and judges how plausible the others' plays are.

    python -m benchmarks.learning
    python -m benchmarks.learning --deals 1000 --write sdk/pigpen/sim/native/weights.h

Deals of every variant are played by bots that simulate, as `sampling` does. The policy learns to choose as they did: a
card's weight is the product of one number from each of four tables, and its probability its share of the weights of all
legal cards. What the tables look at is in sdk/pigpen/sim/native/learned.h.

Each tenth deal is not learned from. Of these the command prints the mean negative logarithm of the chosen card's
probability, by chance and by the policy, and how often the likeliest card was chosen. With 150 deals of each variant it
takes about ten minutes of one core.

After writing, run scripts/venv, which compiles.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import show
from pigpen import Card, View
from pigpen.bot import decide
from pigpen.rules import PRESETS, Deal, Phase, Rules, deal_hands, seed_from
from pigpen.rules.shuffle import derived_number
from pigpen.search import SearchBot, card_trial, race, sealed_trial, some_passes
from pigpen.sim import native
from pigpen.sim.native.binding import FACTORS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pigpen.sim.native.binding import Engine

Numbers = NDArray[Any]

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
    """Whether there is such a card, by decision and card."""
    chosen: Numbers
    """Which card was chosen, by decision."""

    @classmethod
    def of(cls, decisions: list[tuple[list[tuple[int, ...]], int]]) -> Examples:
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

    def row(self, logs: Numbers) -> tuple[str, ...]:
        """Say how well the policy foresees the choices."""
        found = self.probabilities(logs)
        own = found[np.arange(len(found)), self.chosen]
        likeliest = (found.argmax(1) == self.chosen).mean()
        chance = np.log(self.legal.sum(1)).mean()
        return f"{len(found):,}", f"{chance:.3f}", f"{-np.log(own).mean():.3f}", f"{100 * likeliest:.0f} %"


def decisions(engine: Engine, rules: Rules, seed: bytes, number: int) -> Iterator[tuple[list[tuple[int, ...]], int]]:
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


def learn(examples: Examples) -> Numbers:
    """Find the logarithms of the weights: multinomial logistic regression by Adam."""
    logs, moment, square = np.zeros((3, WEIGHTS))
    rng, step = np.random.default_rng(0), 0
    for epoch in range(EPOCHS):
        order = rng.permutation(len(examples.chosen))
        for begin in range(0, len(order), BATCH):
            batch, step = examples.some(order[begin : begin + BATCH]), step + 1
            errors = batch.probabilities(logs)
            errors[np.arange(len(errors)), batch.chosen] -= 1
            slope = np.bincount(batch.seen.ravel(), np.repeat(errors.ravel(), FACTORS), WEIGHTS) / len(errors)
            slope += SHRINKING * logs
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


def main() -> None:
    """Play, train, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("--deals", type=int, default=150, help="number of deals of each variant; default 150")
    parser.add_argument("--seed", default="training", help="any text; the same text gives the same weights")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the weights into this file")
    options = parser.parse_args()
    engine, seed = native.engine(), seed_from(options.seed)
    if engine is None or options.deals < 2:
        parser.error("this needs the accelerated engine (run scripts/venv), and --deals 2 or more")
    learned, held_out = list[tuple[list[tuple[int, ...]], int]](), {}
    for name, rules in PRESETS.items():
        held_out[name] = [each for number in range(0, options.deals, HELD_OUT) for each in
                          decisions(engine, rules, seed, number)]  # fmt: skip
        for number in range(options.deals):
            learned += decisions(engine, rules, seed, number) if number % HELD_OUT else ()
    logs = learn(Examples.of(learned))
    rows = [(name, *Examples.of(each).row(logs)) for name, each in held_out.items()]
    show("Choices foreseen", ("", "decisions", "by chance", "by the policy", "likeliest chosen"), rows)
    if options.write:
        options.write.write_text(written(logs), encoding="utf-8")


if __name__ == "__main__":
    main()
