"""Accuracy of an order, and the time at which it was reached, over several simulations."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


def kendall(one: FloatArray, other: FloatArray) -> float:
    """Compute Kendall's τ of two rankings without ties: the share of pairs in one order, less that of the others."""
    signs = [np.sign(values[:, None] - values[None, :]) for values in (one, other)]
    return float((signs[0] * signs[1]).sum() / (len(one) * (len(one) - 1)))


def in_top(ratings: FloatArray, count: int) -> set[int]:
    """Choose the best ones."""
    return set(np.argsort(-ratings)[:count].tolist())


def reached(means: FloatArray, bar: float, every: int) -> float:
    """Find the first look, in matches, at which the mean is at the bar; infinite if none is."""
    at = np.nonzero(means >= bar)[0]
    return float((at[0] + 1) * every) if len(at) else math.inf


def bootstrap(looks: FloatArray, bar: float, every: int) -> FloatArray:
    """Find when the mean of as many simulations, drawn from (simulations, looks), is at the bar: (400,)."""
    rng = np.random.default_rng(1)
    drawn = [looks[rng.integers(0, len(looks), len(looks))] for _ in range(400)]
    return np.array([reached(sample.mean(axis=0), bar, every) for sample in drawn])


def spread(looks: FloatArray, bar: float, every: int) -> str:
    """Say when the mean over the simulations, (simulations, looks), is at the bar, with its bootstrap range."""
    low, high = np.quantile(bootstrap(looks, bar, every), (0.05, 0.95), method="nearest")
    return f"{matches_text(reached(looks.mean(axis=0), bar, every))} ({matches_text(low)}–{matches_text(high)})"


def matches_text(count: float) -> str:
    """Write a number of matches as it is printed."""
    return "never" if math.isinf(count) else f"{count:,.0f}"
