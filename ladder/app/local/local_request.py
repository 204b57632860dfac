"""Options that all requests for matches on this machine have, in the words that people type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.errors import UserError
from ladder.values.clocks import DEFAULT_CLOCK_TEXT, read_clock
from ladder.values.value import Value
from pigpen.rules import new_seed, seed_from
from referee.match.formats import DEFAULT_CLOCK

if TYPE_CHECKING:
    from pigpen import ClockSetting


class LocalRequest(Value):
    """The part that every such request has."""

    rules: str = "gongzhu"
    """A preset, or the path of a TOML file."""
    seed: str = ""
    """Any text, or 64 hex digits; empty: a new seed each time."""
    clock: str = DEFAULT_CLOCK_TEXT
    """Seconds in the bank + seconds added for each decision."""
    limit: float = DEFAULT_CLOCK.limit
    """Most seconds for one decision."""

    def seed_bytes(self) -> bytes:
        """Give the seed, 256 bits."""
        return seed_from(self.seed) if self.seed else new_seed()

    def clock_setting(self) -> ClockSetting:
        """
        Give the clock.

        Raises:
            UserError: If it is none, gives no time, or too much.
        """
        try:
            return read_clock(self.clock, self.limit)
        except ValueError as error:
            raise UserError(str(error)) from None
