"""Ladders with matches that were really played, their records and what the bots printed: what the site is tested on."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from ladder.app.ladder import Ladder
from ladder.results.files import MatchFiles
from ladder.results.summary import summarise
from ladder.store.commands.opening import open_ladder
from ladder.store.commands.results import record_summary
from referee.records.lines import MatchLine
from referee.records.packed_record import PackedRecord
from tests.ladder.ladders import NOW, enter, lease, queue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.results.files import Logs
    from ladder.settings.settings import Settings
    from referee.records.lines import AnyLine

NAMES = ("Trotter", "Snout", "Truffle", "Bristle", "Wallow")


def packed(lines: Sequence[AnyLine]) -> bytes:
    """The record of a match as its file."""
    record = PackedRecord()
    for line in lines:
        record.write(line)
    return bytes(record)


def recorded_match(ladder: Ladder, lines: Sequence[AnyLine], seed: str = "1", logs: Logs | None = None) -> int:
    """Add a match that is done to a ladder, with bots of its own; give its number."""
    first = lines[0]
    assert isinstance(first, MatchLine)
    variant, form = str(first.rules["name"]), first.format
    with ladder.database.write() as session:
        versions = [enter(session, name, variant) for name in islice(NAMES, len(first.bots))]
        match = queue(session, versions, variant, seed, form)
        attempt = lease(session, match)
    MatchFiles(ladder.settings.data_dir).keep(match, attempt, packed(lines), logs or {})
    with ladder.database.write() as session:
        assert record_summary(session, match, attempt, summarise(lines), NOW)
    return match


def new_ladder(settings: Settings) -> Ladder:
    """Make a ladder with nothing in it; whoever wants it closes its database."""
    return Ladder(settings, open_ladder(settings, create=True), clock=lambda: NOW)
