"""Opponents that decide at many tables at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from pigpen.sim.playout import Policy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BatchBot: TypeAlias = Policy | Callable[["NDArray[np.uint8]", "NDArray[np.int8]"], "NDArray[np.integer]"]
"""An opponent at many tables: a policy, or a function of observations and masks that returns an action for each."""


def each_opponent(bots: BatchBot | Sequence[BatchBot] | None, others: int) -> Sequence[BatchBot]:
    """List the opponents of one seat: those given, one given for all, or `Policy.CAREFUL`."""
    if bots is None:
        return [Policy.CAREFUL] * others
    return [bots] * others if isinstance(bots, Policy) or callable(bots) else bots
