"""Specification of a match."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pigpen.rules import new_seed
from pigpen.values.notices import ClockSetting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pigpen.rules import Rules
    from referee.match.formats import Format

DEFAULT_CLOCK = ClockSetting(bank=60.0, increment=0.1, limit=1.0, start_up=10.0)
PERSON_SECONDS = 30.0
"""Seconds of wall time that a person has for each decision, by default."""


def person_clock(seconds: float = PERSON_SECONDS) -> ClockSetting:
    """
    Make a clock without a bank: *seconds* for each decision, and for taking the seat.

    >>> person_clock().limit
    30.0
    """
    return ClockSetting(bank=0.0, increment=seconds, limit=seconds, start_up=max(seconds, PERSON_SECONDS))


@dataclass(frozen=True)
class MatchSpec:
    """Specification of a match: its rules, bots, format, clocks and seed."""

    rules: Rules
    bots: tuple[str, ...]
    """A name for each bot, in the order of their numbers; the same bot may play several of them."""
    format: Format
    clock: ClockSetting = DEFAULT_CLOCK
    seed: bytes = field(default_factory=new_seed)
    """256 bits; everything random in the match comes from it."""
    people: Mapping[int, ClockSetting] = field(default_factory=dict, hash=False)
    """The people among the bots, by their numbers, each with a clock of its own."""

    def clock_of(self, bot: int) -> ClockSetting:
        """Give the clock of a bot, or a person, by its number."""
        return self.people.get(bot, self.clock)
