"""What the events of a match add up to: how far it is, and what lies on its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.values.live import (
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
)  # fmt: skip

if TYPE_CHECKING:
    from typing import Any

    from ladder.values.live import LiveEvent

SKIPPED = frozenset({"opened", "fault", "moon", "result", "end"})
"""Events that change nothing here."""


class LiveState:
    """A match as far as events have told of it; take them in order, from the first one on."""

    def __init__(self) -> None:
        self._match: LiveMatch | None = None
        self._tables: dict[int, dict[str, Any]] = {}
        """By number: the fields of its `LiveTable`."""
        self._points: list[int] = []
        self._done = 0
        self._mark = ""

    def take(self, event: LiveEvent) -> None:
        """Take the next event."""
        self._mark = event.mark
        if event.type in SKIPPED:
            return
        found = parse(event.line)
        if isinstance(found, LiveMatch):
            self._match, self._points = found, [0] * len(found.bots)
        elif isinstance(found, LiveGap):
            for table in self._tables.values():
                table["complete"] = False
        elif isinstance(found, LiveDeal):
            fields = {name: getattr(found, name) for name in ("table", "deal", "seats", "totals", "hands")}
            self._tables[found.table] = {**fields, "plays": []}
        elif isinstance(found, LiveScored):
            self._score(found)
        elif isinstance(found, LiveAtTable):
            self._change(found)

    def progress(self) -> LiveProgress | None:
        """How far the match is; None if it has not begun."""
        if self._match is None:
            return None
        return LiveProgress(
            public=self._match.public,
            deals=self._match.deals,
            deals_done=self._done,
            points=tuple(self._points),
            tables=tuple(LiveTable(**table) for _, table in sorted(self._tables.items())),
            mark=self._mark,
        )

    def _score(self, found: LiveScored) -> None:
        self._done += 1
        table = self._tables.get(found.table)
        if table is None or table["deal"] != found.deal:  # its beginning was lost
            return
        table |= {"scores": found.scores, "totals": found.totals}
        for bot, score in zip(table["seats"], found.scores, strict=True):
            self._points[bot] += score

    def _change(self, found: LiveAtTable) -> None:
        table = self._tables.get(found.table)
        if table is None or table["deal"] != found.deal:
            return
        if isinstance(found, LivePlayed):
            table["plays"].append(LivePlay(seat=found.seat, card=found.card))
        elif isinstance(found, LivePassed):
            table["passed"] = found.cards
        elif isinstance(found, LiveExposed):
            table |= {"exposed": found.cards, "hidden": found.hidden}
