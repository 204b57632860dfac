"""
Matches that are being played, read from their events: progress, and the cards on their tables.

`ladder.app.live_hub` follows them.
"""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING

from ladder.app.overview import rules_of
from ladder.results.live_folder import LiveFile, LiveFolder
from ladder.store import lookup
from ladder.store.models import Status
from ladder.store.queries.matches import unfinished
from ladder.values.live_events import (
    LiveAtTable,
    LiveDeal,
    LiveExposed,
    LiveGap,
    LiveMatch,
    LivePage,
    LivePassed,
    LivePlayed,
    LiveProgress,
    LiveRow,
    LiveScored,
    LiveTable,
    parse,
)
from referee.replay.public_deal import PublicDeal
from referee.replay.table_view import TableDeal, deal_fields

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.values.live_events import LiveEvent, Outcome
    from ladder.values.matches import MatchRow
    from pigpen.rules import Rules

SKIPPED = frozenset({"opened", "fault", "moon", "result", "end"})
"""Events that change nothing here."""
MAX_KEPT = 64
"""Matches whose state is remembered."""


class LiveStates:
    """States of matches, each with how far its file was read: only what is new is read again. For any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[Path, tuple[LiveState, int]] = {}

    def progress(self, folder: LiveFolder, match: int, attempt: int, rules: Rules) -> LiveProgress | None:
        """Say how far an attempt at a match of these *rules* is; None if it has not begun, or has sent no event."""
        path = folder.path(match, attempt)
        with self._lock:
            try:
                with LiveFile(folder, match, attempt) as file:
                    state, offset = self._known.pop(path) if path in self._known else (LiveState(rules), 0)
                    self._known[path] = state, state.read(file, offset)
            except FileNotFoundError:
                return None
            while len(self._known) > MAX_KEPT:
                del self._known[next(iter(self._known))]
            return state.progress()


class _LiveDeal:
    """The deal under way in one rotation, as its events describe it."""

    def __init__(self, rules: Rules, begun: LiveDeal, bots: Sequence[str]) -> None:
        self.begun = begun
        self.scored: LiveScored | None = None
        self.is_complete = True
        self._public = PublicDeal(rules, begun.deal, begun.totals, begun.hands)
        lookup, kinds = (bots[bot] for bot in begun.seats), ("bot" for _ in begun.seats)
        self._head = TableDeal(**deal_fields(rules, begun.deal, lookup, kinds, None))

    @property
    def totals(self) -> tuple[int, ...]:
        """Totals of the player in each seat: before the deal, and after it once it is over."""
        return (self.scored or self.begun).totals

    def take(self, found: LiveAtTable) -> None:
        """Take an event; after a lost one the table stays as it was, up to the scores."""
        if isinstance(found, LiveScored):
            self.scored = found
        elif not self.is_complete:
            return
        elif isinstance(found, LivePlayed):
            self._public.play(found.seat, found.card, down=bool(found.down))
        elif isinstance(found, LivePassed):
            self._public.passed(found.cards)
        elif isinstance(found, LiveExposed):
            for seat, (cards, hidden) in enumerate(zip(found.cards, found.hidden, strict=True)):
                self._public.expose(seat, cards, hidden)

    def shown(self) -> LiveTable:
        """Make the table as it is shown."""
        moment = self._public.moment()
        if self.scored:
            moment = moment.model_copy(update={"scores": self.scored.scores, "totals": self.scored.totals})
        return LiveTable(
            table=self.begun.table,
            seats=self.begun.seats,
            deal=self._head,
            moment=moment,
            complete=self.is_complete,
        )


class LiveState:
    """A match as its events describe it; take them in order, from the first one on."""

    def __init__(self, rules: Rules) -> None:
        """Begin before the first event of a match of these *rules*."""
        self._rules = rules
        self._match: LiveMatch | None = None
        self._tables: dict[int, _LiveDeal] = {}
        """By the number of the rotation."""
        self._mark = ""

    def read(self, file: LiveFile, offset: int) -> int:
        """Take the events of a file from *offset* on; gives the offset behind them."""
        chunk = file.read(offset)
        while chunk.events:
            for event in chunk.events:
                self.take(event)
            chunk = file.read(chunk.end)
        return chunk.end

    def take(self, event: LiveEvent) -> None:
        """Take the next event."""
        self._mark = event.mark
        if event.type in SKIPPED:
            return
        found = parse(event.line)
        if isinstance(found, LiveMatch):
            self._match = found
        elif isinstance(found, LiveGap):
            for each in self._tables.values():
                each.is_complete = False
        elif isinstance(found, LiveDeal):
            if self._match is not None:
                self._tables[found.table] = _LiveDeal(self._rules, found, self._match.bots)
        elif isinstance(found, LiveAtTable):
            deal = self._tables.get(found.table)
            if deal is not None and deal.begun.deal == found.deal:  # else the beginning of that deal was lost
                deal.take(found)

    def progress(self) -> LiveProgress | None:
        """Say how far the match is; None if it has not begun."""
        if self._match is None:
            return None
        points = [0] * len(self._match.bots)
        for deal in self._tables.values():
            for bot, total in zip(deal.begun.seats, deal.totals, strict=True):
                points[bot] += total
        return LiveProgress(
            public=self._match.public,
            deals=self._match.deals,
            deals_done=sum(deal.begun.deal + (deal.scored is not None) for deal in self._tables.values()),
            points=tuple(points),
            tables=tuple(deal.shown() for _, deal in sorted(self._tables.items())),
            mark=self._mark,
        )


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
        found = lookup.find_match(session, match)
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
        progress=_STATES.progress(
            LiveFolder(ladder.settings.data_dir), row.id, row.attempt, rules_of(ladder, row.variant)
        ),
    )
