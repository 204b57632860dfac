"""
Learn hearts-short by self-play and playouts, and write a bot's folder.

    python -m pigpen_arena.examples.train learned --steps 20000

One net plays all seats of 1,024 tables. In each step every legal action of every table is tried: the deal is played to
its end by a simple policy (`Tables.playouts`), and the net learns by how many points each action did better than the
others. The net sees observations alone, so what it learns is the mean over all hands that the others may hold. The bot
gets the mean of the newest weights. The same steps and seed give the same bot on one machine. A folder that holds
anything is refused: nothing is overwritten.
"""

from __future__ import annotations

import argparse
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ladder.app.local.folder import make_empty
from ladder.errors import UserError
from pigpen.learn import Tables
from pigpen_arena.examples.bot.bot import Inputs, Net

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pigpen_arena.examples.bot.bot import Numbers

BOT = Path(__file__).with_name("bot")
RULES, GAMES, HIDDEN, CARDS = "hearts-short", 1024, 256, 52
PLAYOUTS, AT_RANDOM, SCALE = 3, 0.05, 5.0
"""Playouts of each action; the share of actions that are drawn, not chosen; the scale of points."""
RATE = 1e-3
"""Learning rate at first; it falls to a fiftieth."""


class Learner:
    """The net and its updates (Adam)."""

    def __init__(self, inputs: int, rng: np.random.Generator) -> None:
        def layer(rows: int, columns: int, scale: float = 1.0) -> list[Any]:
            weights = rng.standard_normal((rows, columns)) * np.sqrt(2 / rows) * scale
            return [weights.astype(np.float32), np.zeros(columns, dtype=np.float32)]

        self.net = Net([*layer(inputs, HIDDEN), *layer(HIDDEN, HIDDEN), *layer(HIDDEN, CARDS, 0.1)])
        self._mean = [np.zeros_like(each) for each in self.net.weights]
        self._square = [np.zeros_like(each) for each in self.net.weights]
        self._updates = 0
        self.mean_net = Net([each.copy() for each in self.net.weights])
        """Of the newest 500 updates or so: what single deals did to the net evens out."""

    def update(
        self, inputs: Numbers, layers: tuple[Numbers, ...], targets: Numbers, legal: Numbers, rate: float
    ) -> float:
        """
        Move the values of legal actions toward *targets*; return the mean squared error before.

        Args:
            inputs: Shape (n, inputs).
            layers: What `Net.layers` made of them.
            targets: A value for the card at each place, shape (n, 52).
            legal: 1 where that card is legal, else 0; shape (n, 52).
            rate: The learning rate.
        """
        first, second, values = layers
        errors = (values - targets) * legal
        of_values = errors / len(inputs)
        of_second = of_values @ self.net.weights[4].T * (second > 0)
        of_first = of_second @ self.net.weights[2].T * (first > 0)
        slopes = []
        for below, above in ((inputs, of_first), (first, of_second), (second, of_values)):
            slopes += [below.T @ above, above.sum(0)]
        self._adam(slopes, rate)
        return float((errors**2).sum() / legal.sum())

    def _adam(self, slopes: list[Numbers], rate: float) -> None:
        self._updates += 1
        for weight, mean, square, slope in zip(self.net.weights, self._mean, self._square, slopes, strict=True):
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope * slope - square)
            step = mean / (1 - 0.9**self._updates) / (np.sqrt(square / (1 - 0.999**self._updates)) + 1e-8)
            weight -= (rate * step).astype(np.float32)
        for weight, mean in zip(self.net.weights, self.mean_net.weights, strict=True):
            mean += max(1 / self._updates, 0.002) * (weight - mean)


def better_than_others(values: Numbers, legal: NDArray[np.number[Any]]) -> Numbers:
    """Return by how many points each legal action is better than the mean of those of its table; 0 for the others."""
    better: Numbers = (values - values.sum(1, keepdims=True) / legal.sum(1, keepdims=True)) * legal
    return better


def train(folder: Path, steps: int, seed: int = 1) -> None:
    """
    Learn from some steps of all tables; the bot's folder is written after each twentieth of them.

    Raises:
        UserError: If the folder holds something, or cannot be made.
    """
    make_empty(folder)
    rng, tables = np.random.default_rng(seed), Tables(RULES, GAMES, seed)
    inputs_of, unpacked = Inputs(tables.encoding), tables.unpack()
    learner = Learner(inputs_of(unpacked)[0].shape[1], rng)
    errors: list[float] = []
    for step in range(steps):
        inputs, places = inputs_of(tables.unpack(unpacked))
        legal = np.take_along_axis(tables.mask(), places, 1).astype(np.float32)
        values = np.take_along_axis(tables.playouts(PLAYOUTS), places, 1)
        layers = learner.net.layers(inputs)
        best = np.where(legal > 0, layers[-1], -np.inf).argmax(1)
        actions = np.where(rng.random(GAMES) < AT_RANDOM, tables.random_actions(), places[np.arange(GAMES), best])
        targets = better_than_others(values, legal) / SCALE
        errors.append(learner.update(inputs, layers, targets, legal, RATE * (1 - 0.98 * step / steps)))
        tables.step(actions)
        if (step + 1) * 20 // steps > step * 20 // steps:
            write(folder, learner.mean_net)
            error, cpu = SCALE**2 * np.mean(errors[-200:]), time.process_time() / 60
            done = f"{(step + 1) * GAMES:,} decisions, {cpu:.1f} min of CPU time"
            print(f"{done}, mean squared error {error:.2f}", flush=True)


def write(folder: Path, net: Net) -> None:
    """Write the bot's folder, in the place of what an earlier step wrote."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("bot.py", "requirements.txt"):
        shutil.copy(BOT / name, folder / name)
    np.savez(folder / "net.npz", *net.weights)


def main() -> None:
    """Learn, and write the bot's folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the bot's folder: a new one, or an empty one")
    parser.add_argument("--steps", type=int, default=20_000, help="updates, each from a decision of each table")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    try:
        train(options.folder, options.steps, options.seed)
    except UserError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
