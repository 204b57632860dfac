"""Faults of a bot in a match."""

from __future__ import annotations

from ladder.values.value import Value


class FaultReport(Value):
    """One fault."""

    seat: int
    """The bot's number in the match."""
    rotation: int
    """From 1; in a match without boards, 1."""
    place: str
    """Name of the deal: `board 3, rotation 1`."""
    decision: int
    """Number of the bot's decision in this rotation, from 1; its output names it, too."""
    verdict: str
    why: str
    exit_code: int | None = None
    """Exit code of the bot's program, where its end is the reason."""
    oom: bool | None = None
    """True if it was killed for memory; given whenever `exit_code` is."""

    def __str__(self) -> str:
        """Give it in one line."""
        return f"{self.place}, decision {self.decision}: {self.verdict}: {self.why}"
