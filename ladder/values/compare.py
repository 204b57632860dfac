"""Test for a new version of a bot to be better than the old one."""

from __future__ import annotations

from typing import Literal

from ladder.values.value import Value


class CompareResult(Value):
    """Result of a comparison."""

    rules: str
    """The name of the variant."""
    old: str
    new: str
    field: tuple[str, ...]
    """The opponents."""
    decision: Literal["better", "not better", "not worse", "worse", "open"]
    """Result of the test: `better` or `not better` where `elo1` is above 0, `not worse` or `worse` where it is not."""
    accepted: Literal["elo0", "elo1"] | None
    """The hypothesis that the test accepts; None while it is open."""
    boards: int
    deals: int
    """By both candidates together."""
    differing_boards: int
    """Boards on which the candidates' points are not the same."""
    difference: float
    """Points per deal by which the new bot is better, turned so that more is better."""
    standard_error: float
    """Of the difference."""
    interval: tuple[float, float] | None
    """Of the difference, 95 % at any time; None while too few boards differ."""
    superiority: float
    """Likelihood that the new bot is better, 0 to 1."""
    normalised_elo: float
    """The difference as normalised Elo."""
    llr: float
    """Log-likelihood ratio of the two hypotheses."""
    bounds: tuple[float, float]
    """Of `llr`, at which the test decides."""
    elo0: float
    elo1: float
    alpha: float
    beta: float
    faults: dict[Literal["old", "new", "field"], int]
    seed: str
    """64 hex digits."""
