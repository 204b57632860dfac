"""A record in memory: the same bytes as the file."""

from __future__ import annotations

from pathlib import Path

from referee.records.file import PackedRecord, read_record
from tests.referee.recorded import match_lines, write_record

LINES = match_lines(form="boards:1")


def packed() -> bytes:
    record = PackedRecord()
    for line in LINES:
        record.write(line)
    return bytes(record)


def test_a_record_in_memory_is_the_packed_file_byte_for_byte(tmp_path: Path) -> None:
    assert packed() == write_record(tmp_path / "match.jsonl.gz", LINES).read_bytes()


def test_it_reads_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl.gz"
    path.write_bytes(packed())
    assert list(read_record(path)) == LINES
