"""Ladders with matches that were really played, their records and what the bots printed: what the site is tested on."""

from __future__ import annotations

from functools import cache
from itertools import islice
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ladder.app.ladder import Ladder
from ladder.results.files import MatchFiles
from ladder.results.summary import summarise
from ladder.settings.settings import load_settings
from ladder.store.commands.opening import make_folders, open_ladder
from ladder.store.commands.results import record_summary
from referee.records.file import PackedRecord
from referee.records.lines import MatchLine
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


@cache
def _empty_database() -> bytes:
    """The file of a ladder with nothing in it."""
    with TemporaryDirectory() as folder:
        settings = load_settings(data_dir=folder)
        open_ladder(settings, create=True).close()
        assert settings.database_file
        return settings.database_file.read_bytes()


def make_empty(settings: Settings) -> Settings:
    """Make a ladder with nothing in it, in a quarter of the time that opening takes to make one; gives its settings."""
    if settings.database_file:
        make_folders(settings)
        settings.database_file.write_bytes(_empty_database())
    return settings


def new_ladder(settings: Settings) -> Ladder:
    """Make an empty ladder; the caller closes its database."""
    make_empty(settings)
    return Ladder(settings, open_ladder(settings, create=True), clock=lambda: NOW)
