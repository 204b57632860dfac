"""Program of ladder TV."""

from __future__ import annotations

from ladder.values.replay import DealPlace
from ladder.values.value import Time, Value


class TvBoard(DealPlace):
    """A board of a match that is done, to be watched."""

    match: int
    variant: str
    bots: tuple[str, ...]
    """By place in the match."""
    finished: Time


class TvNext(Value):
    """The next board to show."""

    board: TvBoard | None
    """None: no match with a record is done yet."""
    is_estimating: bool
    """True if the program that estimates decisions was running, so that those of the board may be asked for."""
