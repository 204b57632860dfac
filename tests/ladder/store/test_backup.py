"""Copies of a database that is in use."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from ladder.errors import LadderError, StoreError
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.commands.opening import open_ladder
from ladder.store.commands.upgrading import back_up
from ladder.store.database import Database

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.settings.settings import Settings
    from tests.ladder.postgres import Server

WRITE = """
import itertools, sys
from ladder.store import models
from ladder.store.database import Database
database = Database(sys.argv[1])
for number in itertools.count(1):
    with database.write() as session:
        owner = models.Owner(name=f"owner {number}", added=1.0)
        session.add(owner)
        session.flush()
        session.add(models.StoredBot(name=f"bot {number}", owner_id=owner.id, added=1.0))
    print(number, flush=True)
"""


@pytest.fixture
def writer(database: Database) -> Iterator[subprocess.Popen[str]]:
    """Another process that adds an owner and a bot in each of its transactions, and has begun."""
    url = database.engine.url.render_as_string(hide_password=False)
    with subprocess.Popen([sys.executable, "-c", WRITE, url], stdout=subprocess.PIPE, text=True) as process:
        wait_for(process, 10)
        yield process
        process.kill()


def wait_for(writer: subprocess.Popen[str], transactions: int) -> int:
    """Wait until that many more have been committed; give the number of the last."""
    assert writer.stdout
    lines = [writer.stdout.readline() for _ in range(transactions)]
    return int(lines[-1])


@pytest.fixture
def restored(settings: Settings, backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """Yield the content of a copy that is called ``copy``; restored as the documentation says."""
    if backend == "sqlite":
        (tmp_path / "restored").mkdir()
        shutil.copy(tmp_path / "copy", tmp_path / "restored" / "ladder.db")
        database = open_ladder(load_settings(data_dir=tmp_path / "restored"))
    else:
        server: Server = request.getfixturevalue("postgres")
        name = f"restored_{settings.url.database}"
        subprocess.run(["createdb", "--maintenance-db", server.libpq("postgres"), name], check=True)
        subprocess.run(["pg_restore", "--dbname", server.libpq(name), tmp_path / "copy"], check=True)
        database = open_ladder(load_settings(data_dir=tmp_path, database_url=server.url(name)))
    yield database
    database.close()


@pytest.fixture
def copied(settings: Settings, writer: subprocess.Popen[str], tmp_path: Path) -> tuple[int, int]:
    """A copy called ``copy`` is made while the other process writes: its last transaction before and after it."""
    for number in range(2):
        back_up(settings.url, tmp_path / f"copy-{number}")
        wait_for(writer, 10)
    assert writer.poll() is None, "a writer is not kept waiting"
    before = wait_for(writer, 1)
    assert back_up(settings.url, tmp_path / "copy") == (tmp_path / "copy").stat().st_size
    writer.kill()
    return before, before + len(writer.communicate()[0].split())


def test_a_copy_is_of_one_moment_while_another_process_writes_and_is_not_kept_waiting(
    copied: tuple[int, int], restored: Database
) -> None:
    with restored.read() as session:
        owners = session.scalars(select(models.Owner.name)).all()
        bots = session.scalars(select(models.StoredBot.name)).all()
    assert len(owners) == len(bots)
    assert copied[0] <= len(bots) <= copied[1] + 1  # one may have been committed that was not told of
    with restored.write() as session:
        session.add(models.Owner(name="ada", added=1.0))


def test_a_copy_is_nobody_elses_to_read(settings: Settings, tmp_path: Path) -> None:
    back_up(settings.url, tmp_path / "copy")
    assert oct((tmp_path / "copy").stat().st_mode & 0o777) == "0o600"


def test_a_file_that_is_there_is_kept(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "copy").write_text("a diary")
    with pytest.raises(LadderError, match=r"copy' is there already"):
        back_up(settings.url, tmp_path / "copy")
    assert (tmp_path / "copy").read_text() == "a diary"


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_copy_is_written_where_there_are_no_hard_links(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(draft: Path, target: Path) -> None:
        raise OSError(number, os.strerror(number))

    (tmp_path / "disk").mkdir()
    monkeypatch.setattr(os, "link", refuse)
    size = back_up(settings.url, tmp_path / "disk" / "copy")
    (copy,) = (tmp_path / "disk").iterdir()
    assert (copy.name, copy.stat().st_size, oct(copy.stat().st_mode & 0o777)) == ("copy", size, "0o600")
    assert size > 0


def test_without_hard_links_a_file_that_comes_meanwhile_is_kept(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(draft: Path, target: Path) -> None:
        Path(target).write_text("a diary")
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    (tmp_path / "disk").mkdir()
    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(LadderError, match=r"copy' cannot .* File exists\."):
        back_up(settings.url, tmp_path / "disk" / "copy")
    assert [path.read_text() for path in (tmp_path / "disk").iterdir()] == ["a diary"]


def test_where_no_copy_can_be_written_the_sentence_says_so(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(LadderError, match=r"nowhere/copy' cannot .* No such"):
        back_up(settings.url, tmp_path / "nowhere" / "copy")


@pytest.mark.sqlite
def test_a_copy_that_fails_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "ladder.db").write_bytes(b"no database" * 100)
    with pytest.raises(StoreError, match=r"ladder.db' cannot .* a database"):
        back_up(load_settings(data_dir=tmp_path).url, tmp_path / "copy")
    assert [path.name for path in tmp_path.iterdir()] == ["ladder.db"]


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_a_dump_that_fails_leaves_nothing_and_tells_no_password(settings: Settings, tmp_path: Path) -> None:
    url = settings.url.set(database="nowhere", password="hunter2")
    with pytest.raises(StoreError, match=r"^pg_dump failed: .*nowhere") as caught:
        back_up(url, tmp_path / "copy")
    assert list(tmp_path.iterdir()) == []
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_without_pg_dump_the_sentence_says_how_to_get_it(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LadderError, match="pg_dump is not installed; "):
        back_up(settings.url, tmp_path / "copy")
