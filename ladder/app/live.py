"""Reading matches that are being played. `ladder.app.live_hub` follows them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ladder.app.live_state import LiveStates
from ladder.results.live_folder import LiveFile, LiveFolder
from ladder.store import names
from ladder.store.models import Status
from ladder.store.queries.matches import unfinished
from ladder.values.live_events import LivePage, LiveRow

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.values.live_events import Outcome
    from ladder.values.matches import MatchRow

MAX_RUNNING = 1000
"""Matches that are listed."""
MAX_EVENTS = 1000
"""Events that are given at once, or a few hundred more."""
_MARK = re.compile(r"([1-9]\d{0,18})-(0|[1-9]\d{0,18})", re.ASCII)
_STATES = LiveStates()


def running(ladder: Ladder) -> list[LiveRow]:
    """Read the matches that are being played, the oldest first."""
    with ladder.database.read() as session:
        rows = unfinished(session, Status.LEASED, MAX_RUNNING)
    return [_row(ladder, row) for row in rows]


def events(ladder: Ladder, match: int, after: str = "") -> LivePage:
    """
    Read events of the attempt at a match that is being played, or of its last one.

    Args:
        ladder: The ladder.
        match: Number of the match.
        after: Mark of the last event that is known (`LiveEvent.mark`); empty, or of another attempt: from the first on.

    Returns:
        The events that are there, at most some; their file stays about a minute after the end of the match.

    Raises:
        LadderError: If there is no match of that number.
    """
    attempt, outcome = attempt_of(ladder, match)
    try:
        with LiveFile(LiveFolder(ladder.settings.data_dir), match, attempt) as file:
            chunk = file.read(file.offset_after(number_after(after, attempt)))
            found = list(chunk.events)
            while chunk.events and not chunk.is_last and len(found) < MAX_EVENTS:
                chunk = file.read(chunk.end)
                found += chunk.events
            is_all = chunk.end == file.size
    except FileNotFoundError:
        found, is_all = [], True
    is_last = bool(found) and found[-1].type == "end"
    return LivePage(
        match=match, attempt=attempt, events=tuple(found), ended=is_last or (is_all and outcome is not None)
    )


def attempt_of(ladder: Ladder, match: int) -> tuple[int, Outcome | None]:
    """
    Find the attempt at a match that is being played, or else its last one, and what became of that.

    Returns:
        The number of the attempt, and its outcome; None: it is being played.

    Raises:
        LadderError: If there is no match of that number.
    """
    with ladder.database.read() as session:
        found = names.find_match(session, match)
        if found.status == Status.LEASED:
            return found.attempt, None
        return found.attempt, "done" if found.status == Status.DONE else "void"


def number_after(mark: str, attempt: int) -> int:
    """
    Read the number of the event at a mark; 0 if it is no mark, or one of another attempt.

    >>> number_after("2-17", 2), number_after("1-17", 2), number_after("", 2)
    (17, 0, 0)
    """
    found = _MARK.fullmatch(mark)
    return int(found[2]) if found and int(found[1]) == attempt else 0


def _row(ladder: Ladder, row: MatchRow) -> LiveRow:
    return LiveRow(
        match=row.id,
        attempt=row.attempt,
        variant=row.variant,
        format=row.format,
        started=row.started,
        bots=tuple(seat.bot for seat in row.seats),
        versions=tuple(seat.version for seat in row.seats),
        progress=_STATES.progress(LiveFolder(ladder.settings.data_dir), row.id, row.attempt),
    )
