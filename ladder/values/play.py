"""Result of a match on this machine."""

from __future__ import annotations

from ladder.values.logs import RotationLog
from ladder.values.value import Value
from referee.records.lines import BotResult


class PlayedBot(BotResult):
    """Result of one bot."""

    why: tuple[str, ...]
    """The reasons of its faults, rotation by rotation."""
    rotations: tuple[RotationLog, ...]
    """The rotations in which it printed something or was at fault: its faults, beginning and end of what it printed."""


class PlayedMatch(Value):
    """A finished match."""

    rules: str
    """The name of the variant."""
    format: str
    """`game`, `deals:N`, `boards:N` or `board:B:R`."""
    seed: str
    """64 hex digits."""
    deals: int
    """In all rotations together."""
    results: tuple[PlayedBot, ...]
    """By the bots' numbers."""
