"""Records and logs on disk."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from ladder.results.files import Logs, MatchFiles

LOGS: Logs = {0: ("hello", ""), 1: ("", "[3] Traceback …")}


@pytest.fixture
def files(tmp_path: Path) -> MatchFiles:
    return MatchFiles(tmp_path)


def names(files: MatchFiles) -> list[str]:
    return sorted(path.relative_to(files.root).as_posix() for path in files.root.rglob("*") if path.is_file())


def test_a_record_and_its_logs_lie_by_match_and_attempt(files: MatchFiles) -> None:
    files.keep(12, 1, b"record", LOGS)
    files.keep(1012, 3, b"other", {})
    assert names(files) == ["0/12-1.jsonl.gz", "0/12-1.log.json.gz", "1/1012-3.jsonl.gz", "1/1012-3.log.json.gz"]
    assert files.record(12, 1).read_bytes() == b"record"


def test_logs_read_back_as_they_were(files: MatchFiles) -> None:
    files.keep(12, 1, b"record", LOGS)
    assert files.read_logs(12, 1) == LOGS


def test_what_finds_no_room_leaves_nothing_half_written(files: MatchFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    files.keep(12, 1, b"record", LOGS)
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        files.keep(13, 1, b"record", LOGS)
    assert names(files) == ["0/12-1.jsonl.gz", "0/12-1.log.json.gz"]


def test_it_can_be_kept_again_after_that(files: MatchFiles) -> None:
    files.keep(12, 1, b"reco", {})
    files.keep(12, 1, b"record", LOGS)
    assert (files.record(12, 1).read_bytes(), files.read_logs(12, 1)) == (b"record", LOGS)


def test_what_is_removed_is_gone_and_may_be_removed_again(files: MatchFiles) -> None:
    files.keep(12, 1, b"record", LOGS)
    files.remove(12, 1)
    files.remove(12, 1)
    assert names(files) == []


def test_the_folders_tell_what_is_there(files: MatchFiles) -> None:
    files.keep(12, 2, b"record", LOGS)
    (files.root / "0" / "13-1.jsonl.gz.partial").touch()
    (files.root / "0" / "my notes.txt").touch()
    (files.root / "lost+found").mkdir()
    (folder,) = files.folders()
    numbers, found = folder
    assert numbers == range(1000)
    assert sorted((file.path.name, file.match, file.attempt, file.is_partial) for file in found) == [
        ("12-2.jsonl.gz", 12, 2, False),
        ("12-2.log.json.gz", 12, 2, False),
        ("13-1.jsonl.gz.partial", 13, 1, True),
    ]


def test_a_ladder_without_a_match_has_no_folders(files: MatchFiles) -> None:
    assert list(files.folders()) == []
