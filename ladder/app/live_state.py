"""The state of a running match, from its events: its progress, and the cards on its tables."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from ladder.results.live_folder import LiveFile
from ladder.values.live_events import (
    LiveAtTable,
    LiveDeal,
    LiveExposed,
    LiveGap,
    LiveMatch,
    LivePassed,
    LivePlay,
    LivePlayed,
    LiveProgress,
    LiveScored,
    LiveTable,
    parse,
)

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from ladder.results.live_folder import LiveFolder
    from ladder.values.live_events import LiveEvent

SKIPPED = frozenset({"opened", "fault", "moon", "result", "end"})
"""Events that change nothing here."""
MAX_KEPT = 64
"""Matches whose state is remembered."""


class LiveStates:
    """States of matches, each with how far its file was read: only what is new is read again. For any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[Path, tuple[LiveState, int]] = {}

    def progress(self, folder: LiveFolder, match: int, attempt: int) -> LiveProgress | None:
        """Say how far an attempt is; None if it has not begun, or has sent no event."""
        path = folder.path(match, attempt)
        with self._lock:
            try:
                with LiveFile(folder, match, attempt) as file:
                    state, offset = self._known.pop(path) if path in self._known else (LiveState(), 0)
                    self._known[path] = state, state.read(file, offset)
            except FileNotFoundError:
                return None
            while len(self._known) > MAX_KEPT:
                del self._known[next(iter(self._known))]
            return state.progress()


class LiveState:
    """A match as its events describe it; take them in order, from the first one on."""

    def __init__(self) -> None:
        self._match: LiveMatch | None = None
        self._tables: dict[int, dict[str, Any]] = {}
        """By number: the fields of its `LiveTable`."""
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
            for table in self._tables.values():
                table["complete"] = False
        elif isinstance(found, LiveDeal):
            fields = {name: getattr(found, name) for name in ("table", "deal", "seats", "totals", "hands")}
            self._tables[found.table] = {**fields, "plays": []}
        elif isinstance(found, LiveAtTable):
            self._change(found)

    def progress(self) -> LiveProgress | None:
        """Say how far the match is; None if it has not begun."""
        if self._match is None:
            return None
        points = [0] * len(self._match.bots)
        tables = [LiveTable(**fields) for _, fields in sorted(self._tables.items())]
        for table in tables:
            for bot, total in zip(table.seats, table.totals, strict=True):
                points[bot] += total
        return LiveProgress(
            public=self._match.public,
            deals=self._match.deals,
            deals_done=sum(table.deal + (table.scores is not None) for table in tables),
            points=tuple(points),
            tables=tuple(tables),
            mark=self._mark,
        )

    def _change(self, found: LiveAtTable) -> None:
        table = self._tables.get(found.table)
        if table is None or table["deal"] != found.deal:  # the beginning of that deal was lost
            return
        if isinstance(found, LivePlayed):
            table["plays"].append(LivePlay(seat=found.seat, card=found.card))
        elif isinstance(found, LivePassed):
            table["passed"] = found.cards
        elif isinstance(found, LiveExposed):
            table |= {"exposed": found.cards, "hidden": found.hidden}
        elif isinstance(found, LiveScored):
            table |= {"scores": found.scores, "totals": found.totals}
