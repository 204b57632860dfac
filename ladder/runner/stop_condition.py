"""When a ladder's run stops."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StopCondition:
    """When a run stops; with neither of the two it never stops by itself."""

    matches: int | None = None
    """Stop after this run has recorded so many results."""
    ci: float | None = None
    """Stop when the ± of every active bot is at most this, in Elo."""

    @property
    def is_endless(self) -> bool:
        """Whether the run goes on until it is stopped."""
        return self.matches is None and self.ci is None
