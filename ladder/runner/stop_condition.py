"""When a ladder's run stops."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StopCondition:
    """When a run stops; with neither of the two it never stops by itself."""

    matches: int | None = None
    """Number of results that this run records before it stops; None: no limit."""
    ci: float | None = None
    """Stop when the ± of every active bot is at most this, in Elo."""

    @property
    def is_endless(self) -> bool:
        """Whether the run continues until it is stopped."""
        return self.matches is None and self.ci is None
