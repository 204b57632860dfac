"""When a ladder's run is over."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Goal:
    """What a run is to reach; with neither of both it goes on for ever."""

    matches: int | None = None
    """So many results recorded by this run."""
    ci: float | None = None
    """The ± of every bot that plays is at most this, in Elo."""

    @property
    def is_endless(self) -> bool:
        """Whether only somebody's stopping it ends the run."""
        return self.matches is None and self.ci is None
