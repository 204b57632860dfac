"""Plays what a net has learned: the action of the highest value. `pigpen_arena/examples` made the net."""

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
RANKS = np.tile(np.arange(13, dtype=np.float32) / 12, 4)


class Inputs:
    """
    Inputs of the net: cards by their place among those of their suit that are still to be played, and a few numbers.

    Place 0 of a suit is the highest card left, and so on: once the ace is gone, the king is what the ace was.
    """

    def __init__(self, encoding: Encoding) -> None:
        """Find the places of planes and features."""
        self._start = {name: 52 * number for number, name in enumerate(encoding.planes)}
        self._features = len(encoding.features)
        self._points = np.array(encoding.rules.plan.points, dtype=np.float32)

    def __call__(self, unpacked: NDArray[np.uint8]) -> tuple[Numbers, NDArray[np.int64]]:
        """Return the inputs, shape (n, inputs), and which card is at each place, shape (n, 52)."""

        def plane(name: str) -> Numbers:
            start = self._start[name]
            return unpacked[:, start : start + 52].astype(np.float32)

        played = plane("played_0") + plane("played_1") + plane("played_2") + plane("played_3")
        hand, table, winning = plane("hand"), plane("table"), plane("winning")
        unseen = 1 - hand - played
        left = hand + unseen + table
        lower, unseen_left = _lower(unseen), _of_suit(unseen)
        planes = [
            hand, plane("legal"), plane("chosen"), table, winning, unseen, plane("passed") * unseen, plane("received"),
            hand * lower / 3, hand * (unseen_left - lower) / 3, hand * _lower(winning),
            left * self._points / 5, left * RANKS,
        ]  # fmt: skip
        places = _places(left)
        taken = [plane(f"taken_{seat}") for seat in SEATS]
        points = np.stack([cards @ self._points for cards in taken], 1)
        hearts = np.stack([cards[:, 26:39].sum(1) for cards in taken], 1)
        features = unpacked[:, -self._features :]
        numbers = [
            points / POINTS, (table @ self._points)[:, None] / POINTS, hearts / 13, hearts > 0, features[:, :8],
            features[:, 12:28], table.sum(1, keepdims=True) == np.arange(4), plane("led")[:, ::13],
            unseen_left[:, ::13] / 3, _of_suit(hand)[:, ::13] / 3, played.sum(1, keepdims=True) / 52,
        ]  # fmt: skip
        cards = [np.take_along_axis(each, places, 1) for each in planes]
        return np.concatenate([*cards, *numbers], 1, dtype=np.float32), places


def _places(left: Numbers) -> NDArray[np.int64]:
    """Order the cards of each suit from the highest to the lowest, those that are left before the others."""
    down = left.reshape(-1, 4, 13)[:, :, ::-1] == 0
    places: NDArray[np.int64] = 12 - down.argsort(axis=2, kind="stable") + np.arange(0, 52, 13)[:, None]
    return places.reshape(left.shape)


def _lower(cards: Numbers) -> Numbers:
    """Count for each card how many of *cards* are of its suit and lower."""
    suits = cards.reshape(-1, 4, 13)
    return (suits.cumsum(2) - suits).reshape(cards.shape)


def _of_suit(cards: Numbers) -> Numbers:
    """Count for each card how many of *cards* are of its suit."""
    suits = cards.reshape(-1, 4, 13)
    return np.broadcast_to(suits.sum(2, keepdims=True), suits.shape).reshape(cards.shape)


class Net:
    """Two hidden layers. The weights are a list: a matrix and a row for each of three layers."""

    def __init__(self, weights: Sequence[Numbers]) -> None:
        """Take the weights."""
        self.weights = list(weights)

    def layers(self, inputs: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Return the two hidden layers, and the value of the card at each place."""
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
            inputs, places = self._inputs(self._encoding.unpack(packed))
            values = dict(zip(places[0].tolist(), self._net.layers(inputs)[-1][0].tolist(), strict=True))
            steps.take(max(steps.legal(), key=values.__getitem__))
        return steps.answer


if __name__ == "__main__":
    pigpen.run(Learned())
