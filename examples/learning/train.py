"""
Learn hearts-short by self-play, and write a bot's folder.

    python -m examples.learning.train mybot --deals 400000

The net learns the value of each action: the reward of the deal, less the points taken so far, as random and greedy
self-play gives it (Monte Carlo; no value is estimated from another one). One net plays all seats of 1,024 tables; the
bot gets the mean of its newest weights. The same deals and seed give the same bot on one machine.
"""

from __future__ import annotations

import argparse
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from examples.learning.bot.bot import Inputs, Net
from pigpen.learn import Tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from examples.learning.bot.bot import Numbers

BOT = Path(__file__).with_name("bot")
RULES, GAMES, HIDDEN, CARDS = "hearts-short", 1024, 256, 52
MAX_STEPS = 64
"""Steps of a deal: 8 in passes, and 52 cards at most."""
ROOM, LEAST, BATCH, SCALE = 120_000, 20_000, 2048, 5.0
"""Steps that are remembered, and at least before the first update; steps of one update; the scale of rewards."""


class Memory:
    """The newest steps of finished deals: inputs, action, and the points that were still to come."""

    def __init__(self, inputs: int) -> None:
        self._open_inputs = np.zeros((GAMES, MAX_STEPS, inputs), dtype=np.float16)
        self._open = np.zeros((GAMES, MAX_STEPS, 2), dtype=np.int64)
        self._before = np.zeros((GAMES, MAX_STEPS), dtype=np.float32)
        self._length = np.zeros(GAMES, dtype=np.int64)
        self._inputs = np.zeros((ROOM, inputs), dtype=np.float16)
        self._actions = np.zeros(ROOM, dtype=np.int64)
        self._targets = np.zeros(ROOM, dtype=np.float32)
        self._next = self.filled = self.unused = 0

    def note(self, inputs: Numbers, actions: NDArray[np.int64], seats: NDArray[np.int64], ahead: Numbers) -> None:
        """Note a step of each table, and by how many points its seat was ahead before."""
        at = np.arange(GAMES), self._length
        self._open_inputs[at] = inputs
        self._open[at] = np.stack([actions, seats], 1)
        self._before[at] = ahead
        self._length += 1

    def finish(self, game: int, rewards: Numbers) -> None:
        """Move the steps of a finished deal to those to learn from."""
        count = int(self._length[game])
        places = (self._next + np.arange(count)) % ROOM
        actions, seats = self._open[game, :count].T
        self._inputs[places] = self._open_inputs[game, :count]
        self._actions[places] = actions
        self._targets[places] = (rewards[seats] - self._before[game, :count]) / SCALE
        self._next = (self._next + count) % ROOM
        self.filled, self.unused = min(self.filled + count, ROOM), self.unused + count
        self._length[game] = 0

    def draw(self, rng: np.random.Generator) -> tuple[Numbers, NDArray[np.int64], Numbers]:
        """Draw some steps."""
        drawn = rng.integers(self.filled, size=BATCH)
        return self._inputs[drawn].astype(np.float32), self._actions[drawn], self._targets[drawn]


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

    def update(self, inputs: Numbers, actions: NDArray[np.int64], targets: Numbers, rate: float) -> float:
        """Move the values of *actions* toward *targets*; return the mean error before."""
        first, second, values = self.net.layers(inputs)
        rows = np.arange(len(inputs))
        errors = values[rows, actions] - targets
        of_values = np.zeros_like(values)
        of_values[rows, actions] = np.clip(errors, -2, 2) / len(inputs)
        of_second = of_values @ self.net.weights[4].T * (second > 0)
        of_first = of_second @ self.net.weights[2].T * (first > 0)
        slopes = []
        for below, above in ((inputs, of_first), (first, of_second), (second, of_values)):
            slopes += [below.T @ above, above.sum(0)]
        self._adam(slopes, rate)
        return float(np.abs(errors).mean())

    def _adam(self, slopes: list[Numbers], rate: float) -> None:
        self._updates += 1
        for weight, mean, square, slope in zip(self.net.weights, self._mean, self._square, slopes, strict=True):
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope * slope - square)
            step = mean / (1 - 0.9**self._updates) / (np.sqrt(square / (1 - 0.999**self._updates)) + 1e-8)
            weight -= (rate * step).astype(np.float32)
        for weight, mean in zip(self.net.weights, self.mean_net.weights, strict=True):
            mean += max(1 / self._updates, 0.002) * (weight - mean)


def train(folder: Path, deals: int, seed: int = 1) -> None:
    """Learn from some deals; the bot's folder is written after each twentieth of them, and at the end."""
    rng, tables = np.random.default_rng(seed), Tables(RULES, GAMES, seed)
    inputs_of, unpacked = Inputs(tables.encoding), tables.unpack()
    width = inputs_of(unpacked)[0].shape[1]
    memory, learner = Memory(width), Learner(width, rng)
    legal = tables.encoding.planes.index("legal") * CARDS
    done, shown, errors = 0, 0, [0.0]
    while (share := done / deals) < 1:
        inputs, points = inputs_of(tables.unpack(unpacked))
        values = np.where(unpacked[:, legal : legal + CARDS] > 0, learner.net.layers(inputs)[-1], -1e9)
        at_random = rng.random(GAMES) < 0.15 * (1 - share) + 0.02
        actions = np.where(at_random, tables.random_actions(), values.argmax(1))
        memory.note(inputs, actions, tables.seats, points.mean(1) - points[:, 0])
        tables.step(actions)
        for game in np.flatnonzero(tables.over).tolist():
            memory.finish(game, tables.rewards[game])
            done += 1
        while memory.filled > LEAST and memory.unused >= 2 * BATCH:
            memory.unused -= 2 * BATCH
            errors.append(learner.update(*memory.draw(rng), 1e-3 * (1 - share) + 5e-5))
        if done * 20 // deals > shown or done >= deals:
            shown = done * 20 // deals
            write(folder, learner.mean_net)
            error, cpu = SCALE * np.mean(errors[-200:]), time.process_time() / 60
            print(f"{done:,} deals, {cpu:.1f} min of CPU time, mean error {error:.2f} points", flush=True)


def write(folder: Path, net: Net) -> None:
    """Write the bot's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("bot.py", "requirements.txt"):
        shutil.copy(BOT / name, folder / name)
    np.savez(folder / "net.npz", *net.weights)


def main() -> None:
    """Learn, and write the bot's folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the bot's folder, which is made")
    parser.add_argument("--deals", type=int, default=400_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    train(options.folder, options.deals, options.seed)


if __name__ == "__main__":
    main()
