"""What is to be played."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pigpen.rules import new_seed
from pigpen.values.notices import ClockSetting

if TYPE_CHECKING:
    from pigpen.rules import Rules
    from referee.match.formats import Format

DEFAULT_CLOCK = ClockSetting(bank=60.0, increment=0.1, limit=1.0, start_up=10.0)


@dataclass(frozen=True)
class MatchSpec:
    """What is to be played."""

    rules: Rules
    bots: tuple[str, ...]
    """A name for each bot, in the order of their numbers; the same bot may play several of them."""
    format: Format
    clock: ClockSetting = DEFAULT_CLOCK
    seed: bytes = field(default_factory=new_seed)
    """256 bits; everything random in the match comes from it."""
