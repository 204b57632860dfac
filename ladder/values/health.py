"""Signs that a ladder plays, and has room to."""

from __future__ import annotations

from ladder.values.value import Time, Value


class LadderHealth(Value):
    """Signs that nothing is played, or soon will not be."""

    runners: int
    """Coordinators that have spoken within two minutes, and whose process has not ended as far as can be seen."""
    seen: Time | None
    """Time at which one spoke last; None: never."""
    silent_seconds: float | None
    """Seconds since then, by the database's clock."""
    waiting: int
    """Matches and submissions that are not done, those under way included, as far as the viewer may know of them."""
    oldest_seconds: float
    """Seconds for which the oldest match in the queue has waited; 0: none waits."""
    oldest_computation_seconds: float
    """Seconds for which the oldest question of visitors has waited to be computed; 0: none waits."""
    free_bytes: int | None
    """Room on the disk of the ladder's folder, for all but organisers in whole GiB; None: it cannot be read."""
