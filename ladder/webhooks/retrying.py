"""The time at which a message that was not accepted is sent again."""

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


def pause_after(refusals: int, rng: Random, wait: float | None = None) -> float | None:
    """
    Give the seconds until a message is sent again; None: it is given up.

    Args:
        refusals: Attempts that were not accepted, at least 1.
        rng: Chance.
        wait: Seconds that the receiver asks to wait; not less, and at most `LONGEST`, plus chance.
    """
    if refusals >= ATTEMPTS:
        return None
    pause = min(FIRST * FACTOR ** (refusals - 1), LONGEST) * rng.uniform(1 - JITTER, 1 + JITTER)
    return pause if wait is None else max(pause, min(wait, LONGEST) * rng.uniform(1, 1 + JITTER))
