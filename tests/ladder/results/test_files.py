"""Records and logs on disk; Files of events: whole lines, found by their number."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladder.results.files import Logs, MatchFiles
from ladder.results.live_folder import CHUNK_BYTES, LiveFile, LiveFolder

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


@pytest.fixture
def folder(tmp_path: Path) -> LiveFolder:
    folder = LiveFolder(tmp_path)
    folder.root.mkdir()
    return folder


def line(number: int, length: int = 0) -> str:
    return f'{{"id":{number},"type":"play","card":"{"é" * length}"}}\n'


def test_events_have_their_number_type_and_text(folder: LiveFolder) -> None:
    folder.path(7, 2).write_text(line(1) + '{"id":2,"type":"end","outcome":"done"}\n')
    with LiveFile(folder, 7, 2) as file:
        chunk = file.read(0)
        assert [(event.match, event.attempt, event.id, event.type) for event in chunk.events] == [
            (7, 2, 1, "play"), (7, 2, 2, "end")
        ]  # fmt: skip
        assert chunk.events[0].line == line(1).rstrip()
        assert chunk.events[1].mark == "2-2"
        assert (chunk.end, chunk.is_last) == (file.size, True)
        assert file.read(chunk.end).events == ()


def test_a_line_that_is_half_written_is_not_there_yet(folder: LiveFolder) -> None:
    text = (line(1) + line(2)).encode()
    folder.path(1, 1).write_bytes(text[:-3])
    with LiveFile(folder, 1, 1) as file:
        chunk = file.read(0)
        assert [event.id for event in chunk.events] == [1]
        assert file.offset_after(1) == chunk.end
        folder.path(1, 1).write_bytes(text)
        assert [event.id for event in file.read(chunk.end).events] == [2]


def test_a_long_line_is_read_as_a_whole(folder: LiveFolder) -> None:
    folder.path(1, 1).write_text(line(1) + line(2, 5 * CHUNK_BYTES) + line(3))
    with LiveFile(folder, 1, 1) as file:
        found, offset = [], 0
        while (chunk := file.read(offset)).events:
            found += [event.id for event in chunk.events]
            offset = chunk.end
    assert found == [1, 2, 3]


@settings(deadline=None)
@given(st.lists(st.integers(0, 6000), max_size=30), st.integers(0, 20))
def test_the_place_after_an_event_is_found(
    tmp_path_factory: pytest.TempPathFactory, lengths: list[int], half: int
) -> None:
    folder = LiveFolder(tmp_path_factory.mktemp("live"))
    folder.root.mkdir()
    lines = [line(number, length).encode() for number, length in enumerate(lengths, 1)]
    folder.path(1, 1).write_bytes(b"".join(lines) + line(len(lines) + 1).encode()[:half])
    with LiveFile(folder, 1, 1) as file:
        for event in range(len(lines) + 2):
            assert file.offset_after(event) == sum(map(len, lines[:event]))


def test_what_is_no_event_is_told(folder: LiveFolder) -> None:
    folder.path(3, 1).write_text("nonsense\n")
    with (
        LiveFile(folder, 3, 1) as file,
        pytest.raises(ValueError, match=r"match 3 .* be read: 'nonsense'"),
    ):
        file.read(0)


def test_only_files_of_attempts_are_found_and_removed(folder: LiveFolder) -> None:
    for name in ("7-2.jsonl", "10-1.jsonl", "0-1.jsonl", "7-2.json", "readme"):
        (folder.root / name).write_text("")
    assert folder.attempts() == [(7, 2), (10, 1)]
    for _ in range(2):
        folder.remove(7, 2)
    assert folder.attempts() == [(10, 1)]


def test_a_ladder_without_the_folder_has_no_attempts(tmp_path: Path) -> None:
    assert LiveFolder(tmp_path).attempts() == []


def test_a_file_that_was_removed_can_be_read_to_its_end(folder: LiveFolder) -> None:
    folder.path(1, 1).write_text(line(1))
    with LiveFile(folder, 1, 1) as file:
        folder.remove(1, 1)
        assert len(file.read(0).events) == 1
    file.close()
    with pytest.raises(FileNotFoundError):
        LiveFile(folder, 1, 1)
