"""Phrases at a table: a file to which several processes add."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from ladder.people.sessions.table_info import MAX_BYTES, PHRASES, TablePhrases

if TYPE_CHECKING:
    from pathlib import Path


def test_a_phrase_is_received_once_by_each_and_no_earlier_one(tmp_path: Path) -> None:
    path = tmp_path / "phrases.jsonl"
    one = TablePhrases(path)
    assert list(one.received()) == []
    one.send(0, "good-luck")
    other = TablePhrases(path)
    other.send(2, "thanks")
    assert list(one.received()) == [(0, "good-luck"), (2, "thanks")]
    assert list(one.received()) == []
    assert list(other.received()) == [(2, "thanks")]


def test_a_line_that_is_being_written_is_received_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "phrases.jsonl"
    reader = TablePhrases(path)
    path.write_bytes(b'[1, "thanks"]\n[3, "good')
    assert list(reader.received()) == [(1, "thanks")]
    with path.open("ab") as file:
        file.write(b'bye"]\n')
    assert list(reader.received()) == [(3, "goodbye")]


def test_lines_of_many_who_speak_at_once_stay_whole(tmp_path: Path) -> None:
    path = tmp_path / "phrases.jsonl"
    reader = TablePhrases(path)
    with ThreadPoolExecutor(8) as threads:
        for chair in range(8):
            for phrase in PHRASES:
                threads.submit(TablePhrases(path).send, chair, phrase)
    assert sorted(reader.received()) == sorted((chair, phrase) for chair in range(8) for phrase in PHRASES)


def test_no_phrase_is_taken_at_a_table_that_has_been_removed(tmp_path: Path) -> None:
    gone = TablePhrases(tmp_path / "gone" / "phrases.jsonl")
    gone.send(0, "goodbye")
    assert list(gone.received()) == []


def test_a_table_takes_a_limited_number_of_phrases(tmp_path: Path) -> None:
    path = tmp_path / "phrases.jsonl"
    path.write_bytes(b'[0, "thanks"]\n' * (MAX_BYTES // 14 + 1))
    size = path.stat().st_size
    TablePhrases(path).send(0, "goodbye")
    assert path.stat().st_size == size
