"""A database that does not agree with itself, or with the files beside it, is told of."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, text

from ladder.results.files import MatchFiles
from ladder.results.summary import summarise
from ladder.store import models
from ladder.store.commands.results import record_summary
from ladder.store.database import Database
from ladder.store.queries.checking import findings
from pigpen.rules import PRESETS
from referee.records.file import RecordWriter
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW, enter, lease, played, queue

if TYPE_CHECKING:
    from ladder.settings.settings import Settings

__all__ = ["backend"]

VARIANTS = ("hearts", "gongzhu-five", "gongzhu-partners")


@pytest.fixture
def files(settings: Settings, database: Database) -> MatchFiles:
    """A ladder of three variants with results and records, and one match that waits."""
    files = MatchFiles(settings.data_dir)
    for variant in VARIANTS:
        rules = PRESETS[variant]
        with database.write() as session:
            bots = [enter(session, f"{variant} {number}", variant) for number in range(6)]
        for number in range(3):
            players = (bots[number : number + 2] * 2) if rules.partners else bots[number % 2 :][: rules.players]
            play(database, files, variant, players, sinner=0 if number == 2 and not rules.partners else None)
    with database.write() as session:
        queue(session, bots[:2] * 2, "gongzhu-partners")
    return files


def play(database: Database, files: MatchFiles, variant: str, bots: list[int], sinner: int | None) -> None:
    lines = played(variant, sinner=sinner)
    with database.write() as session:
        match = queue(session, bots, variant)
        attempt = lease(session, match)
        path = files.record(match, attempt)
        path.parent.mkdir(parents=True, exist_ok=True)
        writer = RecordWriter.create(path)
        for line in lines:
            writer.write(line)
        writer.close()
        assert record_summary(session, match, attempt, summarise(lines), NOW)


def damage(database: Database, *statements: str) -> None:
    """Change the database behind the ladder's back."""
    broken = Database(database.engine.url, ["foreign_keys=OFF"])
    with broken.write() as session:
        for statement in statements:
            session.execute(text(statement))
    broken.close()


@IN_BOTH
def test_a_ladder_that_was_left_alone_agrees_with_itself(database: Database, files: MatchFiles) -> None:
    assert list(findings(database, files)) == []
    with database.read() as session:
        assert len(session.scalars(select(models.StoredMatch).where(models.StoredMatch.record_kept)).all()) == 9
        assert any(session.scalars(select(models.Rating.takeovers)))


@IN_BOTH
def test_an_empty_ladder_agrees_with_itself(database: Database, settings: Settings) -> None:
    assert list(findings(database, MatchFiles(settings.data_dir))) == []


DAMAGES = {  # all at once: the match that gets a number in the queue is one more among the results
    "UPDATE ratings SET matches = matches + 1 WHERE version_id = 2": (
        "hearts 1@1 in hearts: its rating counts 4 matches and 0 takeovers, "
        "and it has had seats in 3 and was taken over in 0."
    ),
    "UPDATE ratings SET takeovers = 0 WHERE version_id = 1": (
        "hearts 0@1 in hearts: its rating counts 2 matches and 0 takeovers, "
        "and it has had seats in 2 and was taken over in 1."
    ),
    "UPDATE pair_stats SET n = 7 WHERE a = 2 AND b = 3": (
        "hearts 1@1 and hearts 2@1 in hearts: 7 pair results are counted, and they were opponents in 3 matches."
    ),
    "DELETE FROM pair_stats WHERE variant = 'gongzhu-partners' AND a = 13 AND b = 14": (
        "gongzhu-partners 0@1 and gongzhu-partners 1@1 in gongzhu-partners: 0 pair results are counted, "
        "and they were opponents in 1 matches."
    ),
    "INSERT INTO pair_stats VALUES ('hearts', 1, 6, 4, 0.5, 1, 1, 0, 1, 0.5, 0, 0, 0, '')": (
        "hearts 0@1 and hearts 5@1 in hearts: 1 pair results are counted, and they were opponents in 0 matches."
    ),
    "UPDATE matches SET ordinal = 100 WHERE ordinal = 9": "10 results are there, and the last one has number 100.",
    "UPDATE matches SET ordinal = 10 WHERE status = 'queued'": (
        "Match 10 is queued, and its number among the results is 10."
    ),
    "UPDATE seats SET place = NULL WHERE match_id = 4": "Match 4 is done, and no bot has a place in it.",
}


@IN_BOTH
def test_each_disagreement_is_a_sentence(database: Database, files: MatchFiles) -> None:
    damage(database, *DAMAGES)
    assert sorted(findings(database, files)) == sorted(DAMAGES.values())


def test_a_record_that_is_gone_is_named(database: Database, files: MatchFiles) -> None:
    files.record(3, 1).unlink()
    assert [str(files.record(3, 1)) in each for each in findings(database, files)] == [True]


@IN_BOTH
def test_many_records_that_are_gone_are_all_named(database: Database, files: MatchFiles) -> None:
    shutil.rmtree(files.root)
    numbers = [int(sentence.split()[4]) for sentence in findings(database, files, batch=2)]
    assert numbers == list(range(1, 10))


@IN_BOTH
def test_a_record_that_was_removed_on_purpose_is_not_missed(database: Database, files: MatchFiles) -> None:
    files.record(3, 1).unlink()
    damage(database, "UPDATE matches SET record_kept = false WHERE id = 3")
    assert list(findings(database, files)) == []


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_a_row_that_names_nobody_is_found(database: Database, files: MatchFiles) -> None:
    damage(database, "DELETE FROM owners WHERE id = 1")
    assert [each.startswith("A row of bots (number 1) ") for each in findings(database, files)] == [True]


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_a_damaged_index_is_found(database: Database, files: MatchFiles) -> None:
    damage(
        database,
        "PRAGMA writable_schema=ON",
        "UPDATE sqlite_master SET sql = replace(sql, '''queued''', '''done''') WHERE name = 'ix_matches_queued'",
    )
    database.close()
    assert any("ix_matches_queued" in each for each in findings(database, files))
