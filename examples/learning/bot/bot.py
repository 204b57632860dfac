"""Plays what a net has learned in self-play: the action of the highest value. `examples/learning` made the net."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import pigpen
from pigpen.learn import Encoding, Steps
from pigpen.rules import PRESETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from pigpen import Card, View

    Numbers = NDArray[np.floating[Any]]

WEIGHTS = Path(__file__).with_name("net.npz")
TRAINED = "hearts-short"
SEATS = range(4)
POINTS = 13.0
"""Scale of the points of a seat."""


class Inputs:
    """What the net sees: the planes that matter in Hearts for four, and a few numbers that follow from them."""

    def __init__(self, encoding: Encoding) -> None:
        """Find the places of planes and features."""
        self._start = {name: 52 * number for number, name in enumerate(encoding.planes)}
        self._features = len(encoding.features)
        self._points = np.array(encoding.rules.plan.points, dtype=np.float32)

    def __call__(self, unpacked: NDArray[np.uint8]) -> tuple[Numbers, Numbers]:
        """Return the inputs, shape (n, inputs), and the points of the cards that each seat has taken, shape (n, 4)."""

        def plane(name: str) -> Numbers:
            start = self._start[name]
            return unpacked[:, start : start + 52].astype(np.float32)

        played = plane("played_0") + plane("played_1") + plane("played_2") + plane("played_3")
        taken = [plane(f"taken_{seat}") for seat in SEATS]
        points = np.stack([cards @ self._points for cards in taken], 1)
        hearts = np.stack([cards[:, 26:39].sum(1) for cards in taken], 1)
        features = unpacked[:, -self._features :].astype(np.float32)
        hand, table = plane("hand"), plane("table")
        unseen = 1 - hand - played
        parts = [
            hand, plane("legal"), plane("chosen"), plane("winning"), table, unseen, plane("passed"), plane("received"),
            hand * _lower(unseen) / 13, points / POINTS, (table @ self._points)[:, None] / POINTS, hearts / 13,
            features[:, :8], features[:, 12:28], table.sum(1, keepdims=True) == np.arange(4), hearts > 0,
            plane("led")[:, ::13], played.sum(1, keepdims=True) / 52,
        ]  # fmt: skip
        return np.concatenate(parts, 1, dtype=np.float32), points


def _lower(cards: Numbers) -> Numbers:
    """For each card, how many of *cards* are of its suit and lower."""
    suits = cards.reshape(-1, 4, 13)
    return (suits.cumsum(2) - suits).reshape(cards.shape)


class Net:
    """Two hidden layers. The weights are a list: a matrix and a row for each of three layers."""

    def __init__(self, weights: Sequence[Numbers]) -> None:
        """Take the weights."""
        self.weights = list(weights)

    def layers(self, inputs: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Return the two hidden layers, and the value of each card."""
        one, one_row, two, two_row, last, last_row = self.weights
        first = np.maximum(inputs @ one + one_row, 0)
        second = np.maximum(first @ two + two_row, 0)
        return first, second, second @ last + last_row


class Learned(pigpen.Bot):
    """Variants of which it has learned nothing it plays by the lowest legal card."""

    def __init__(self) -> None:
        with np.load(WEIGHTS) as file:
            self._net = Net([file[name].astype(np.float32) for name in file.files])
        self._encoding = Encoding(TRAINED)
        self._inputs = Inputs(self._encoding)

    def play(self, view: View) -> Card:
        return self._decide(view) if self._knows(view) else view.legal[0]

    def pass_cards(self, view: View) -> Iterable[Card]:
        return self._decide(view) if self._knows(view) else super().pass_cards(view)

    def _knows(self, view: View) -> bool:
        return view.rules == PRESETS[TRAINED]

    def _decide(self, view: View) -> Any:
        steps = Steps(view.rules, view.phase, view.legal_mask)
        while steps.answer is None:
            packed = np.array([self._encoding.observe(view, steps)], dtype=np.uint64)
            inputs, _ = self._inputs(self._encoding.unpack(packed))
            values = self._net.layers(inputs)[-1][0]
            steps.take(max(steps.legal(), key=lambda action: float(values[action])))
        return steps.answer


if __name__ == "__main__":
    pigpen.run(Learned())
