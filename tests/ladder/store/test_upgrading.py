"""An older ladder is brought up to date, with a copy of what it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import insert, inspect, select, text

from ladder.errors import LadderError
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.commands.opening import REFUSALS, open_ladder, revision_in
from ladder.store.commands.upgrading import upgrade_ladder
from ladder.store.database import Database
from ladder.store.driver_failures import place
from ladder.store.schema import REVISION, Age

if TYPE_CHECKING:
    from pathlib import Path

    from ladder.settings.settings import Settings

OLDER = "0000_0123abcd"


@pytest.fixture
def older(settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A ladder of a Pigpen that knew no faults, with an owner; and the migration that adds them."""
    with database.write() as session:
        session.add(models.Owner(name="ada", added=1.0))
        session.execute(text("DROP TABLE faults"))
        session.execute(text("UPDATE alembic_version SET version_num = :older"), {"older": OLDER})

    def upgrade(url: object) -> None:
        with database.write() as session:
            models.Base.metadata.tables["faults"].create(session.connection())
            session.execute(text("UPDATE alembic_version SET version_num = :newer"), {"newer": REVISION})

    monkeypatch.setattr("ladder.store.schema.REVISIONS", (OLDER, REVISION))
    monkeypatch.setattr("ladder.store.migrations.upgrade", upgrade)
    return settings


def test_it_has_what_is_new_and_keeps_what_it_had(older: Settings) -> None:
    done = upgrade_ladder(older, "now")
    assert (done.before, done.after) == (OLDER, REVISION)
    database = open_ladder(older)
    with database.read() as session:
        assert inspect(session.connection()).has_table("faults")
        assert session.scalars(select(models.Owner.name)).all() == ["ada"]
    database.close()


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_a_copy_of_what_it_was_lies_beside_it(older: Settings, tmp_path: Path) -> None:
    done = upgrade_ladder(older, "now")
    assert done.backup == tmp_path / f"ladder-{OLDER}-now.db"
    copy = Database(f"sqlite:///{done.backup}")
    with copy.read() as session:
        assert not inspect(session.connection()).has_table("faults")
        assert session.scalars(select(models.Owner.name)).all() == ["ada"]
    copy.close()


def test_a_ladder_that_is_not_there_is_made(database_url: str, tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path / "data", database_url=database_url)
    assert upgrade_ladder(settings, "now").before is None
    assert upgrade_ladder(settings, "now").before == REVISION
    open_ladder(settings).close()


@pytest.mark.parametrize(("revision", "age"), [("9999_0123abcd", Age.NEWER), ("0001", Age.UNRELEASED)])
def test_a_ladder_that_cannot_be_upgraded_is_left_alone(
    settings: Settings, database: Database, revision: str, age: Age
) -> None:
    with database.write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})
    files = sorted(settings.data_dir.iterdir())
    with pytest.raises(LadderError) as caught:
        upgrade_ladder(settings, "now")
    assert str(caught.value) == REFUSALS[age].format(where=place(settings.url), revision=revision, here=REVISION)
    assert sorted(settings.data_dir.iterdir()) == files
    assert revision_in(database) == revision


def test_names_from_before_are_kept_and_the_oldest_of_those_that_look_alike_is_told_from_new_ones(
    settings: Settings, database: Database
) -> None:
    with database.write() as session:
        older = [("Ada", 2.0), ("\u0410da", 3.0), ("ada", 1.0)]
        rows = [{"name": name, "added": at, "skeleton": None} for name, at in older]
        session.connection().execute(insert(models.Base.metadata.tables["owners"]), rows)
    for _ in range(2):
        upgrade_ladder(settings, "now")
        with database.read() as session:
            seen = dict(session.execute(select(models.Owner.name, models.Owner.skeleton)).all())
        assert seen == {"ada": "ada", "Ada": None, "\u0410da": None}
