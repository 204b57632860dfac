"""When a message that was not accepted is sent again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

FIRST, FACTOR, LONGEST = 10.0, 4.0, 6 * 3600.0
"""Seconds before the second attempt, how much longer each following pause is, and the most."""
ATTEMPTS = 10
"""The last one is about 22 hours after the first."""
JITTER = 0.25
"""The part of a pause by which it is longer or shorter, so that messages do not come again all at once."""


def pause_after(refusals: int, rng: Random) -> float | None:
    """
    Give the seconds until a message is sent again; None: it is given up.

    Args:
        refusals: Attempts that were not accepted, at least 1.
        rng: Chance.
    """
    if refusals >= ATTEMPTS:
        return None
    return min(FIRST * FACTOR ** (refusals - 1), LONGEST) * rng.uniform(1 - JITTER, 1 + JITTER)
