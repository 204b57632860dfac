"""What spectators are sent of a table with people: what all seats there can see, and nothing else."""

from __future__ import annotations

from ladder.values.person_state import PersonDeal, PersonSheetRow
from ladder.values.replay import ReplayMoment
from ladder.values.value import Value


class WatchState(Value):
    """A table as a spectator sees it; the whole of it each time."""

    number: int
    """Counts up."""
    is_over: bool
    """Whether nothing more will come."""
    reason: str
    """Why the table was ended; empty if it was not."""
    delay: float
    """By how many seconds this is late."""
    deal: PersonDeal | None
    """Its seat is only the one that is drawn at the bottom. None before the first deal."""
    moment: ReplayMoment | None
    """No hand is known; exposed cards are."""
    sheet: tuple[PersonSheetRow, ...]
