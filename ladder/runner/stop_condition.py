"""The condition that stops a ladder's run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StopCondition:
    """The condition that stops a run; with neither of the two it never stops by itself."""

    matches: int | None = None
    """Number of results that this run records before it stops; None: no limit."""
    ci: float | None = None
    """Stop when the ± of every active bot is at most this, in Elo."""

    @property
    def is_endless(self) -> bool:
        """True if the run continues until it is stopped."""
        return self.matches is None and self.ci is None
