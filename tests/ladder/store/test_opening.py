"""Opening a ladder: whatever is wrong is one sentence with a way out."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Timer

import pytest
from sqlalchemy import text

from ladder.errors import LadderError, StoreError
from ladder.settings.settings import Settings, load_settings
from ladder.store import models, schema
from ladder.store.commands.opening import NO_LADDER, REFUSALS, open_ladder, revision_in
from ladder.store.database import Database
from ladder.store.driver_failures import place
from ladder.store.schema import REVISION, Age
from tests.ladder.postgres import Server


def set_revision(settings: Settings, revision: str) -> None:
    database = Database(settings.url)
    with database.write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})
    database.close()


def test_a_new_ladder_is_made_with_its_folders(database_url: str, tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path / "some" / "folder", database_url=database_url)
    database = open_ladder(settings, create=True)
    with database.read() as session:
        assert session.query(models.StoredMatch).count() == 0
    database.close()
    assert settings.data_dir.is_dir()


@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_a_new_ladder_is_nobody_elses_to_read_for_it_holds_seeds(tmp_path: Path, umask: int) -> None:
    settings = load_settings(data_dir=tmp_path / "data", database_url=f"sqlite:///{tmp_path / 'ladder.db'}")
    before = os.umask(umask)
    try:
        database = open_ladder(settings, create=True)
        with database.write() as session:
            session.add(models.Owner(name="ada", added=1.0))
            modes = {path.name: oct(path.stat().st_mode & 0o777) for path in tmp_path.iterdir()}
        database.close()
    finally:
        os.umask(before)
    assert modes == {"data": "0o700", "ladder.db": "0o600", "ladder.db-wal": "0o600", "ladder.db-shm": "0o600"}


def test_making_a_ladder_that_is_there_keeps_it(settings: Settings, database: Database) -> None:
    with database.write() as session:
        session.add(models.Owner(name="ada", added=1.0))
    again = open_ladder(settings, create=True)
    with again.read() as session:
        assert session.get_one(models.Owner, 1).name == "ada"
    again.close()


def test_where_there_is_no_ladder_the_sentence_says_how_to_begin_one(database_url: str, tmp_path: Path) -> None:
    with pytest.raises(LadderError, match=r"no ladder.*: pigpen submit FOLDER"):
        open_ladder(load_settings(data_dir=tmp_path, database_url=database_url))
    assert list(tmp_path.iterdir()) == [], "looking makes nothing"


OTHERS = {
    "0001": Age.UNRELEASED,  # builds before the first release wrote it under many schemas, and numbers up to 0014
    "0014": Age.UNRELEASED,
    f"{REVISION[:4]}_00000000": Age.UNRELEASED,
    "9999_00000000": Age.NEWER,
    "0000_0123abcd": Age.OLDER,
}


@pytest.fixture
def a_release_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this Pigpen know an older schema."""
    monkeypatch.setattr(schema, "REVISIONS", ("0000_0123abcd", REVISION))


@pytest.mark.usefixtures("a_release_before")
@pytest.mark.parametrize(("revision", "age"), OTHERS.items())
def test_another_schema_is_left_alone_and_the_sentence_has_the_way_out(
    settings: Settings, revision: str, age: Age
) -> None:
    set_revision(settings, revision)
    sentence = REFUSALS[age].format(where=place(settings.url), revision=revision, here=REVISION)
    for create in (True, False):
        with pytest.raises(LadderError) as caught:
            open_ladder(settings, create)
        assert str(caught.value) == sentence
    database = open_ladder(settings, any_schema=True)
    assert revision_in(database) == revision, "nothing was changed"
    database.close()


@pytest.mark.parametrize("revisions", [["ae1027a6acf"], ["0001", "0002"], []])
def test_a_schema_of_another_program_is_left_alone(settings: Settings, revisions: list[str]) -> None:
    database = Database(settings.url)
    with database.write() as session:
        session.execute(text("DELETE FROM alembic_version"))
        for revision in revisions:
            session.execute(text("INSERT INTO alembic_version VALUES (:revision)"), {"revision": revision})
    database.close()
    for any_schema in (True, False):
        with pytest.raises(LadderError, match=NO_LADDER):
            open_ladder(settings, create=True, any_schema=any_schema)


def test_a_database_of_something_else_is_left_alone(database_url: str, tmp_path: Path) -> None:
    other = Database(database_url)
    with other.write() as session:
        session.execute(text("CREATE TABLE recipes (name TEXT)"))
    other.close()
    with pytest.raises(LadderError, match=NO_LADDER):
        open_ladder(load_settings(data_dir=tmp_path, database_url=database_url), create=True)


@pytest.mark.sqlite
def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "ladder.db").write_text("a diary\n" * 1000)
    for create in (False, True):
        with pytest.raises(LadderError, match="is no database, or"):
            open_ladder(load_settings(data_dir=tmp_path), create)
    assert (tmp_path / "ladder.db").read_text().startswith("a diary")


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LadderError, match=r"'.*file/data' cannot .* a directory\."):
        open_ladder(load_settings(data_dir=tmp_path / "file" / "data"), create=True)


@pytest.mark.sqlite
@pytest.mark.parametrize("there", [True, False])
def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, there: bool) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    if there:
        open_ladder(load_settings(data_dir=folder), create=True).close()
        (folder / "ladder.db").chmod(0o444)
    folder.chmod(0o555)
    code = f"from ladder.settings.settings import *; from ladder.store.commands.upgrading import *; \
             open_ladder(load_settings(data_dir={str(folder)!r}), create=True)"
    # root may write everywhere, unless it has lost its powers
    mortal = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    done = subprocess.run([*mortal, sys.executable, "-c", code], capture_output=True, text=True, check=False)
    folder.chmod(0o755)
    assert "ladder.db' cannot be opened" in done.stderr.splitlines()[-1]


@pytest.mark.postgres
def test_a_server_that_does_not_answer_is_the_platforms_failure(tmp_path: Path) -> None:
    url = "postgresql://ada:secret@127.0.0.1:1/ladder"
    with pytest.raises(StoreError, match=r"does not answer: .*refused") as caught:
        open_ladder(load_settings(data_dir=tmp_path, database_url=url))
    assert "secret" not in str(caught.value)


@pytest.mark.postgres
def test_a_database_or_user_that_is_not_there_is_the_organisers_mistake(postgres: Server, tmp_path: Path) -> None:
    for url in (postgres.url("nowhere"), postgres.url("postgres", username="nobody-known")):
        with pytest.raises(LadderError, match=r"URL \(setting database_url\).* not exist"):
            open_ladder(load_settings(data_dir=tmp_path, database_url=url), create=True)


@pytest.mark.postgres
def test_a_wrong_password_is_the_organisers_mistake(postgres: Server, tmp_path: Path) -> None:
    with postgres.asking_for_passwords():
        url = postgres.url("postgres", password="hunter2")
        with pytest.raises(LadderError, match=r"this URL .* authentication failed") as caught:
            open_ladder(load_settings(data_dir=tmp_path, database_url=url))
    assert "hunter2" not in str(caught.value)


@pytest.mark.sqlite
def test_a_broken_file_is_told(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path)
    open_ladder(settings, create=True).close()
    with (tmp_path / "ladder.db").open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 8192)
    with pytest.raises(LadderError, match=r"no database, .*malformed\."):
        open_ladder(settings)


def test_two_that_make_a_ladder_at_once_make_one(database_url: str, tmp_path: Path) -> None:
    """Each has connections of its own, and begins when the other one does."""
    settings, start = load_settings(data_dir=tmp_path, database_url=database_url), Barrier(2)

    def make() -> str | None:
        start.wait()
        database = open_ladder(settings, create=True)
        try:
            return revision_in(database)
        finally:
            database.close()

    with ThreadPoolExecutor() as pool:
        both = [pool.submit(make) for _ in range(2)]
    assert [each.result() for each in both] == [REVISION, REVISION]


@pytest.mark.sqlite
def test_who_opens_a_new_file_waits_for_who_writes_it(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "new.db", isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE new (value)")
    other.execute("BEGIN IMMEDIATE")
    done = Timer(0.2, lambda: other.execute("COMMIT"))
    done.start()
    database = Database(f"sqlite:///{tmp_path}/new.db", busy_seconds=60)
    with database.read() as session:
        assert session.scalar(text("PRAGMA journal_mode")) == "wal"
    database.close()
    done.join()
    other.close()


@pytest.mark.sqlite
def test_a_command_that_reads_does_not_load_alembic(tmp_path: Path) -> None:
    open_ladder(load_settings(data_dir=tmp_path), create=True).close()
    code = f"import sys; from ladder.settings.settings import *; from ladder.store.commands.opening import *; \
             open_ladder(load_settings(data_dir={str(tmp_path)!r})); print('alembic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.sqlite
def test_every_connection_of_sqlite_is_set_up(tmp_path: Path) -> None:
    database = open_ladder(load_settings(data_dir=tmp_path), create=True)
    names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
    with database.read() as one, database.read() as other:
        for session in (one, other):
            found = [session.execute(text(f"PRAGMA {name}")).scalar() for name in names]
            assert found == ["wal", 2, 1, 5000]
    database.close()
    assert sqlite3.connect(tmp_path / "ladder.db").execute("PRAGMA journal_mode").fetchone() == ("wal",)
