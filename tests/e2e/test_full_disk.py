"""A disk that is full is the platform's failure: exit code 3, a sentence that names the file, nothing broken."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from referee.records.file import read_record
from referee.records.lines import DealLine, MatchLine
from tests.conftest import OWN_MOUNTS
from tests.e2e.command import PIGPEN, ROOT, environment

LATER = (pytest.mark.long, pytest.mark.only_long)
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
    assert f"pigpen: The record '{path}' cannot be written: File too large." in done.stderr
    assert done.stderr.endswith(VOID)
    assert "Traceback" not in done.stderr
    assert path.read_bytes().endswith(b"\n")
    lines = list(read_record(path))
    assert [type(line) for line in lines] == [MatchLine, *[DealLine] * (len(lines) - 1)]
    assert len(lines) > 1


def on_small_disk(folder: Path, files: int) -> subprocess.CompletedProcess[str]:
    """Play with temporary folders on a disk that holds so many files and folders, its root included."""
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


@pytest.mark.parametrize(
    "words",
    [pytest.param(("rules",), marks=LATER), ("play", *FOUR, "--deals", "1", "--sandbox", "inline")],
    ids=["rules", "play"],
)
def test_what_cannot_be_printed_for_want_of_room_is_one_sentence(words: tuple[str, ...]) -> None:
    done = run("sh", "-c", 'exec "$0" "$@" >/dev/full', PIGPEN, *words)
    assert done.returncode == 3
    assert done.stderr == "pigpen: What was to be printed cannot be written: No space left on device.\n"
