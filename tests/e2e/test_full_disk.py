"""A disk that is full is the platform's failure: exit code 3, a sentence that names the file, nothing broken."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ladder.app.ladder import Ladder
from ladder.settings.settings import load_settings
from referee.records.file import read_record
from referee.records.lines import DealLine, MatchLine
from tests.conftest import OWN_MOUNTS
from tests.e2e.command import PIGPEN, ROOT, environment
from tests.ladder.ladders import enter

LATER = pytest.mark.long
FOUR = ("random", "cautious", "random", "cautious")
VOID = "The match is void, and nothing is held against any bot.\n"


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=250, check=False
    )


@pytest.mark.parametrize("sandbox", [pytest.param("inline", marks=LATER), "process"])
def test_a_record_that_finds_no_room_voids_the_match_and_keeps_its_whole_lines(tmp_path: Path, sandbox: str) -> None:
    path = tmp_path / "match.jsonl"
    small = 'ulimit -f 40; exec "$0" "$@"'  # in blocks of 512 bytes
    words = ("play", *FOUR, "--deals", "1000", "--sandbox", sandbox, "--record", path)
    done = run("sh", "-c", small, PIGPEN, *words)
    assert done.returncode == 3
    assert f" '{path}' cannot be written: {os.strerror(errno.EFBIG)}." in done.stderr
    assert done.stderr.endswith(VOID)
    assert "Traceback" not in done.stderr
    assert path.read_bytes().endswith(b"\n")
    lines = list(read_record(path))
    assert [type(line) for line in lines] == [MatchLine, *[DealLine] * (len(lines) - 1)]
    assert len(lines) > 1


def on_small_disk(folder: Path, files: int) -> subprocess.CompletedProcess[str]:
    """Play with temporary folders on a disk that holds a limited number of files and folders, its root included."""
    script = f'mount -t tmpfs -o nr_inodes={files} none "$0" && TMPDIR="$0" exec "$@"'
    words = ("play", *FOUR, "--deals", "1", "--sandbox", "process")
    return run(*OWN_MOUNTS, "sh", "-c", script, folder, PIGPEN, *words)


@pytest.mark.mounts
@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        (2, "/owner cannot be made: No space left on device. Make room, or set TMPDIR to a folder on another disk"),
        pytest.param(
            4,
            "/1 cannot be made: No space left on device. Make room, or set TMPDIR to a folder on another disk",
            marks=LATER,
        ),
        (8, "seat.sock cannot be made: is its disk full?"),
        pytest.param(
            12,
            " cannot be made: No space left on device. Make room, or set TMPDIR to a folder on another disk",
            marks=LATER,
        ),
    ],
)
def test_a_disk_without_room_for_the_seats_is_named(tmp_path: Path, files: int, sentence: str) -> None:
    done = on_small_disk(tmp_path, files)
    assert done.returncode == 3
    assert sentence in done.stderr
    assert done.stderr.endswith(VOID)
    assert "Traceback" not in done.stderr


@pytest.mark.mounts
def test_a_disk_with_just_enough_room_will_do(tmp_path: Path) -> None:
    done = on_small_disk(tmp_path, 16)
    assert (done.returncode, done.stderr.count("\n")) == (0, 1), done.stderr


FILLED = """
mount -t tmpfs -o size=1M none "$0" && cp "$1" "$0/ladder.db" && shift && export PIGPEN_DATA_DIR="$0"
if [ -n "$LOG" ]; then "$PYTHON" -c "$LOG" "$0/ladder.db"; rm "$0/ladder.db-shm"; fi
if [ -n "$FILES" ]; then mount -t tmpfs -o remount,nr_inodes="$FILES" none "$0"; fi
cat /dev/zero > "$0/filled" 2>/dev/null; exec "$@"
"""
KILLED = """
import os, sqlite3, sys
ladder = sqlite3.connect(sys.argv[1])
ladder.execute("PRAGMA journal_mode=WAL")
ladder.execute("UPDATE bots SET name = 'Killed'")
ladder.commit()
os._exit(9)
"""


def on_full_disk(
    folder: Path, ladder: Path, *words: str, log: str = "", files: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command with a ladder's folder on a disk that is full; its log may hold what a killed program wrote."""
    set_up = ("env", f"LOG={log}", f"FILES={files}", f"PYTHON={sys.executable}", "sh", "-c", FILLED, folder, ladder)
    return run(*OWN_MOUNTS, *set_up, PIGPEN, *words)


@pytest.fixture
def a_ladder(tmp_path: Path) -> Path:
    """A ladder's database with a bot."""
    settings = load_settings(data_dir=tmp_path / "made")
    with Ladder.open(settings, create=True) as ladder, ladder.database.write() as session:
        enter(session, "Trotter")
    return tmp_path / "made" / "ladder.db"


@pytest.mark.mounts
@pytest.mark.sqlite
@pytest.mark.parametrize(
    ("log", "files", "bot"),
    [("", "", "Trotter"), (KILLED, "", "Killed"), ("", "3", "Trotter")],
    ids=["no log", "a log", "no file more"],
)
def test_the_standings_are_read_on_a_disk_that_is_full(
    tmp_path: Path, a_ladder: Path, log: str, files: str, bot: str
) -> None:
    (folder := tmp_path / "full").mkdir()
    done = on_full_disk(folder, a_ladder, "standings", "--json", log=log, files=files)
    assert (done.returncode, done.stderr) == (0, "")
    assert bot in done.stdout


@pytest.mark.mounts
@pytest.mark.sqlite
def test_what_cannot_be_written_on_a_full_disk_is_one_sentence(tmp_path: Path, a_ladder: Path) -> None:
    (folder := tmp_path / "full").mkdir()
    done = on_full_disk(folder, a_ladder, "suspend", "Trotter", "--reason", "tried")
    assert done.returncode == 3
    assert done.stderr.startswith("pigpen: ")
    assert f" '{folder}/ladder.db' cannot be used: " in done.stderr
    assert "Make room there" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [pytest.param(("rules",), marks=LATER), ("play", *FOUR, "--deals", "1", "--sandbox", "inline")],
    ids=["rules", "play"],
)
def test_what_cannot_be_printed_for_want_of_room_is_one_sentence(words: tuple[str, ...]) -> None:
    done = run("sh", "-c", 'exec "$0" "$@" >/dev/full', PIGPEN, *words)
    assert done.returncode == 3
    assert done.stderr.endswith(f" output cannot be written: {os.strerror(errno.ENOSPC)}.\n")
    assert done.stderr.count("\n") == 1
