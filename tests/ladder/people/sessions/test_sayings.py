"""What people at a table say to each other: a file to which several processes add."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from ladder.people.sessions.sayings import MAX_BYTES, PHRASES, Sayings

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_said_is_heard_once_by_each_and_not_what_was_said_before(tmp_path: Path) -> None:
    path = tmp_path / "phrases.jsonl"
    one = Sayings(path)
    assert list(one.news()) == []
    one.say(0, "good-luck")
    other = Sayings(path)
    other.say(2, "thanks")
    assert list(one.news()) == [(0, "good-luck"), (2, "thanks")]
    assert list(one.news()) == []
    assert list(other.news()) == [(2, "thanks")]


def test_a_line_that_is_being_written_is_heard_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "phrases.jsonl"
    reader = Sayings(path)
    path.write_bytes(b'[1, "thanks"]\n[3, "good')
    assert list(reader.news()) == [(1, "thanks")]
    with path.open("ab") as file:
        file.write(b'bye"]\n')
    assert list(reader.news()) == [(3, "goodbye")]


def test_lines_of_many_who_speak_at_once_stay_whole(tmp_path: Path) -> None:
    path = tmp_path / "phrases.jsonl"
    reader = Sayings(path)
    with ThreadPoolExecutor(8) as threads:
        for chair in range(8):
            for phrase in PHRASES:
                threads.submit(Sayings(path).say, chair, phrase)
    assert sorted(reader.news()) == sorted((chair, phrase) for chair in range(8) for phrase in PHRASES)


def test_nothing_is_said_at_a_table_that_has_been_removed(tmp_path: Path) -> None:
    gone = Sayings(tmp_path / "gone" / "phrases.jsonl")
    gone.say(0, "goodbye")
    assert list(gone.news()) == []


def test_a_table_at_which_too_much_is_said_falls_silent(tmp_path: Path) -> None:
    path = tmp_path / "phrases.jsonl"
    path.write_bytes(b'[0, "thanks"]\n' * (MAX_BYTES // 14 + 1))
    size = path.stat().st_size
    Sayings(path).say(0, "goodbye")
    assert path.stat().st_size == size
