"""State of a table with people for spectators: only information that all seats there can see."""

from __future__ import annotations

from ladder.values.person_state import PersonDeal, PersonSheetRow
from ladder.values.replay import ReplayMoment
from ladder.values.value import Value


class WatchState(Value):
    """A table as a spectator sees it; the whole of it each time."""

    number: int
    """Counts up."""
    is_over: bool
    """True if nothing more will come."""
    reason: str
    """Reason that the table was ended; empty if it was not."""
    delay: float
    """By how many seconds this is late."""
    deal: PersonDeal | None
    """Its seat is only the one that is drawn at the bottom. None before the first deal."""
    moment: ReplayMoment | None
    """No hand is known; exposed cards are."""
    sheet: tuple[PersonSheetRow, ...]
