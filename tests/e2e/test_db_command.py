"""`pigpen db`, as an organiser types it."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from ladder.app.database_maintenance import OTHER_TABLES
from ladder.results.files import MatchFiles
from ladder.results.summary import summarise
from ladder.settings.settings import load_settings
from ladder.store.commands.opening import REFUSALS
from ladder.store.commands.results import record_summary
from ladder.store.database import Database
from ladder.store.driver_failures import place
from ladder.store.schema import REVISION, Age
from referee.records.file import RecordWriter
from tests.e2e.command import PIGPEN, environment, pigpen
from tests.ladder.ladders import NOW, enter, lease, played, queue

pytestmark = pytest.mark.sqlite


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder with one result and its record."""
    folder = tmp_path_factory.mktemp("made") / "data"
    assert pigpen("db", "upgrade", PIGPEN_DATA_DIR=str(folder)).stdout == f"A new ladder, schema {REVISION}.\n"
    database, files, lines = Database(load_settings(data_dir=folder).url), MatchFiles(folder), played()
    with database.write() as session:
        match = queue(session, [enter(session, f"bot {number}") for number in range(4)])
        path = files.record(match, lease(session, match))
        path.parent.mkdir(parents=True)
        writer = RecordWriter.create(path)
        for line in lines:
            writer.write(line)
        writer.close()
        assert record_summary(session, match, 1, summarise(lines), NOW)
    database.close()
    return folder


@pytest.fixture
def data_dir(made_once: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(made_once, tmp_path / "data"))


def change(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "ladder.db")) as connection, connection:
        connection.execute(statement)


def db(folder: Path, *words: str) -> tuple[int, str, str]:
    done = pigpen("db", *words, folder=folder.parent, PIGPEN_DATA_DIR=str(folder))
    return done.returncode, done.stdout, done.stderr


def test_a_ladder_in_order_is_found_in_order(data_dir: Path) -> None:
    assert db(data_dir, "check") == (0, "Everything agrees.\n", "")
    assert db(data_dir, "check", "--records") == (0, "Everything agrees.\n", "")
    assert db(data_dir, "check", "--json") == (0, "[]\n", "")


def test_each_finding_is_a_line_and_the_exit_code_tells(data_dir: Path) -> None:
    change(data_dir, "UPDATE ratings SET matches = 5 WHERE version_id IN (1, 2)")
    code, printed, complaint = db(data_dir, "check")
    assert (code, complaint) == (1, "")
    assert [line.partition(" in hearts: ")[0] for line in printed.splitlines()] == ["bot 0@1", "bot 1@1"]
    assert printed.count(" counts 5 ") == 2
    assert json.loads(db(data_dir, "check", "--json")[1]) == printed.splitlines()


def test_a_rating_that_does_not_follow_from_the_records_is_found_with_them(data_dir: Path) -> None:
    change(data_dir, "UPDATE ratings SET rating = rating + 0.000001 WHERE version_id = 1")
    assert db(data_dir, "check") == (0, "Everything agrees.\n", "")
    code, printed, _ = db(data_dir, "check", "--records")
    assert code == 1
    assert printed.startswith("bot 0@1 in hearts: rating ")


def test_upgrading_what_is_new_changes_nothing(data_dir: Path) -> None:
    code, printed, complaint = db(data_dir, "upgrade")
    assert (code, printed.count("\n"), complaint) == (0, 1, "")
    assert f" {REVISION} already" in printed
    assert sorted(path.name for path in data_dir.iterdir()) == ["ladder.db", "records"]


def test_what_was_done_is_printed_as_json(data_dir: Path) -> None:
    other = data_dir.with_name("new")
    for folder, before in ((other, None), (data_dir, REVISION)):
        code, printed, complaint = db(folder, "upgrade", "--json")
        assert (code, json.loads(printed), complaint) == (0, {"before": before, "after": REVISION, "backup": None}, "")
    copy = data_dir.with_name("copy.db")
    code, printed, _ = db(data_dir, "backup", str(copy), "--json")
    assert (code, json.loads(printed)) == (0, {"file": str(copy), "size": copy.stat().st_size})


def test_a_newer_schema_is_left_alone(data_dir: Path) -> None:
    change(data_dir, "UPDATE alembic_version SET version_num = '0999_0123abcd'")
    code, printed, complaint = db(data_dir, "upgrade")
    where = place(load_settings(data_dir=data_dir).url)
    sentence = REFUSALS[Age.NEWER].format(where=where, revision="0999_0123abcd", here=REVISION)
    assert (code, printed, complaint) == (2, "", f"pigpen: {sentence}\n")


def test_a_schema_that_is_not_the_one_of_its_stamp_is_found_and_nothing_else_is_looked_at(data_dir: Path) -> None:
    change(data_dir, "ALTER TABLE matches DROP COLUMN worker")
    change(data_dir, "UPDATE ratings SET matches = 5")
    for words in (["check"], ["check", "--records"]):
        code, printed, complaint = db(data_dir, *words)
        finding, last = printed.splitlines()
        assert (code, last, complaint) == (1, OTHER_TABLES, "")
        assert {"matches", "worker", REVISION} <= set(re.findall(r"\w+", finding))


def test_a_ladder_of_another_pigpen_can_be_backed_up(data_dir: Path) -> None:
    change(data_dir, "UPDATE alembic_version SET version_num = '0001'")
    change(data_dir, "ALTER TABLE matches DROP COLUMN worker")
    copy = data_dir.with_name("copy.db")
    code, _, complaint = db(data_dir, "backup", str(copy))
    assert (code, complaint) == (0, "")
    ladders = [sqlite3.connect(file) for file in (copy, data_dir / "ladder.db")]
    dumps = [[*each.iterdump()] for each in ladders]
    assert dumps[0] == dumps[1] != []
    for each in ladders:
        each.close()


def test_a_backup_is_a_ladder(data_dir: Path) -> None:
    other = data_dir.with_name("other")
    other.mkdir()
    code, printed, complaint = db(data_dir, "backup", str(other / "ladder.db"))
    assert (code, complaint) == (0, "")
    assert printed == f"{other}/ladder.db: {(other / 'ladder.db').stat().st_size:,} bytes\n"
    (data_dir / "records").rename(other / "records")
    assert db(other, "check", "--records") == (0, "Everything agrees.\n", "")
    assert db(data_dir, "backup", str(other / "ladder.db"))[0] == 2


def test_a_copy_is_the_ladder_from_then_on(data_dir: Path) -> None:
    other = data_dir.with_name("other.db")
    code, printed, complaint = db(data_dir, "copy", f"sqlite:///{other}")
    assert (code, complaint) == (0, "")
    lines = printed.splitlines()
    assert lines[0].split() == ["0", "account_groups"]
    assert " database_url in pigpen.toml " in lines[-1]
    assert lines[-1].endswith(f" sqlite:///{other}")
    assert re.search(rf"\(schema {REVISION}\).* found equal", lines[-2])
    (data_dir / "ladder.db").unlink()
    words = ("db", "check", "--records")
    url = f"sqlite:///{other}"
    done = pigpen(*words, folder=data_dir.parent, PIGPEN_DATA_DIR=str(data_dir), PIGPEN_DATABASE_URL=url)
    assert (done.returncode, done.stdout) == (0, "Everything agrees.\n")


def test_what_was_copied_is_printed_as_json(data_dir: Path) -> None:
    other = data_dir.with_name("other.db")
    code, printed, _ = db(data_dir, "copy", f"sqlite:///{other}", "--json")
    copied = json.loads(printed)
    assert (code, copied["source"], copied["target"]) == (0, f"sqlite:///{data_dir}/ladder.db", f"sqlite:///{other}")
    assert {"name": "matches", "rows": 1} in copied["tables"]


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("nowhere", "TO_URL cannot be used: it is not a URL; write sqlite:////path/to/file or postgresql://"),
        ("mysql://ada@localhost/ladder", "TO_URL cannot be used: 'mysql' is not a kind of database that Pigpen"),
        ("sqlite:////nowhere/at/all.db", "'/nowhere/at/all.db' cannot be made: No such file or directory."),
        ("postgresql://ada:secret@127.0.0.1:1/ladder", "//ada:***@127.0.0.1:1/ladder' does not answer: "),
    ],
)
def test_where_nothing_can_be_copied_to_one_sentence_says_so(data_dir: Path, url: str, sentence: str) -> None:
    code, printed, complaint = db(data_dir, "copy", url)
    assert (code, printed) == (3 if "answer" in sentence else 2, "")
    assert sentence in complaint
    assert complaint.count("\n") == 1
    assert "secret" not in complaint


def test_a_copy_that_finds_no_room_leaves_nothing(data_dir: Path) -> None:
    small = 'ulimit -f 200; exec "$0" "$@"'  # in blocks of 512 bytes
    done = subprocess.run(
        ["sh", "-c", small, PIGPEN, "db", "copy", f"sqlite:///{data_dir}/copy.db"], cwd=data_dir.parent,
        env=environment(PIGPEN_DATA_DIR=str(data_dir)), capture_output=True, text=True, timeout=250, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1), done.stderr
    assert re.search(r"pigpen: .* '.*/copy\.db' cannot be .*\.\n", done.stderr)
    assert sorted(path.name for path in data_dir.iterdir()) == ["ladder.db", "records"]


@pytest.mark.parametrize("words", [["check"], ["backup", "copy.db"], ["copy", "sqlite:////nowhere.db"]])
def test_without_a_ladder_the_sentence_says_how_to_begin_one(tmp_path: Path, words: list[str]) -> None:
    code, printed, complaint = db(tmp_path / "nowhere", *words)
    assert (code, printed) == (2, "")
    assert complaint.startswith("pigpen: ")
    assert f" no ladder in '{tmp_path}/nowhere'" in complaint
    assert complaint.endswith(": pigpen submit FOLDER\n")
    assert complaint.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_database_that_does_not_answer_is_the_platforms_failure(tmp_path: Path) -> None:
    for words in (["check"], ["upgrade"], ["backup", "copy.db"], ["copy", "sqlite:////nowhere.db"]):
        done = pigpen("db", *words, folder=tmp_path, PIGPEN_DATA_DIR=str(tmp_path),
                      PIGPEN_DATABASE_URL="postgresql://ada:secret@127.0.0.1:1/ladder")  # fmt: skip
        assert done.returncode == 3
        assert " 'postgresql+psycopg://ada:***@127.0.0.1:1/ladder' does not answer: " in done.stderr
        assert len(done.stderr.splitlines()) == 1
