"""Output of bots in a match."""

from __future__ import annotations

from ladder.values.faults import FaultReport
from ladder.values.value import Value


class RotationLog(Value):
    """The end of what a bot printed in one rotation."""

    rotation: int
    """Its number, from 1; in a match without boards, 1."""
    printed: str
    faults: tuple[FaultReport, ...]


class SeatLog(Value):
    """The end of what a bot printed in a match."""

    seat: int
    bot: str
    rotations: tuple[RotationLog, ...]
