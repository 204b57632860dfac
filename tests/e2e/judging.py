"""Invariants of a ladder after any events: each result counts once, and ratings follow from records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from ladder.results.files import MatchFiles
from ladder.store import models
from ladder.store.commands.rerating import differences
from ladder.store.models import Status
from ladder.store.queries.checking import findings
from referee.records.file import read_record
from referee.replay.verify import verify

if TYPE_CHECKING:
    from tests.e2e.small_ladder import SmallLadder


def assert_each_result_has_its_record(ladder: SmallLadder) -> list[models.StoredMatch]:
    """Give the matches that are done: each with the record of its last attempt; rated ones are numbered through."""
    files, wanted = MatchFiles(ladder.settings.data_dir), select(models.StoredMatch)
    with ladder.database.read() as session:
        done = session.scalars(
            wanted.where(models.StoredMatch.status == Status.DONE).order_by(models.StoredMatch.ordinal)
        ).all()
    rated = [match for match in done if match.event_id is None]
    assert [match.ordinal for match in rated] == list(range(1, len(rated) + 1))
    there = {path for path in files.root.rglob("*") if path.is_file()}
    assert there == {path(match.id, match.attempt) for match in done for path in (files.record, files.logs)}
    for match in done:
        held = verify(files.record(match.id, match.attempt))
        assert (held.difference, held.finished) == (None, True)
        assert held.match is not None
        assert held.match.commitment == match.commitment
    return list(done)


def assert_ratings_follow_from_the_records(ladder: SmallLadder) -> None:
    """Rated again from its records, the ladder is what it is, bit for bit; and it is whole."""
    files = MatchFiles(ladder.settings.data_dir)
    with ladder.database.read() as session:
        assert list(differences(session, lambda match, attempt: read_record(files.record(match, attempt)))) == []
    assert list(findings(ladder.database, files)) == []
