"""The record on disk: plain or packed, whole or cut off, gone on with."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.records.file import RecordWriter, read_record
from referee.records.framing import START, RecordError, chained
from referee.records.lines import to_json
from tests.referee.recorded import match_lines, write_record
from tests.referee.worlds import ALTERED

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.records.lines import AnyLine

LINES = match_lines()
NAMES = pytest.mark.parametrize("name", ["match.jsonl", "match.jsonl.gz"])


def ends_of_lines(path: Path) -> list[int]:
    """The size of the file after each line."""
    twin = path.with_name(f"twin-{path.name}")
    sizes = []
    with RecordWriter.create(twin) as writer:
        for line in LINES:
            writer.write(line)
            sizes.append(twin.stat().st_size)
    assert twin.read_bytes() == path.read_bytes()
    return sizes


@NAMES
def test_a_record_reads_back_as_it_was_written(tmp_path: Path, name: str) -> None:
    assert list(read_record(write_record(tmp_path / name, LINES))) == LINES


def test_a_name_that_ends_in_gz_makes_a_file_that_gunzip_reads(tmp_path: Path) -> None:
    plain = write_record(tmp_path / "match.jsonl", LINES).read_bytes()
    packed = write_record(tmp_path / "match.jsonl.gz", LINES).read_bytes()
    assert gzip.decompress(packed) == plain
    assert len(packed) < len(plain) / 2


def test_a_record_that_somebody_packed_by_other_means_is_read(tmp_path: Path) -> None:
    plain = write_record(tmp_path / "match.jsonl", LINES)
    packed = tmp_path / "packed.gz"
    with gzip.open(packed, "wb") as file:
        file.write(plain.read_bytes())
    assert list(read_record(packed)) == LINES
    packed.write_bytes(packed.read_bytes()[:-30])
    assert list(read_record(packed)) == LINES[:-1]
    with pytest.raises(RecordError, match=r"not packed by Pigpen"):
        RecordWriter.append(packed)


@NAMES
def test_each_line_is_on_disk_as_soon_as_it_is_written(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with RecordWriter.create(path) as writer:
        for count, line in enumerate(LINES, 1):
            writer.write(line)
            assert list(read_record(path)) == LINES[:count]


@NAMES
def test_wherever_a_file_is_cut_off_its_whole_lines_are_there_and_it_is_gone_on_with(tmp_path: Path, name: str) -> None:
    whole = write_record(tmp_path / name, LINES)
    content, ends = whole.read_bytes(), ends_of_lines(whole)
    cut = tmp_path / f"cut-{name}"
    for size in sorted(
        {*range(0, len(content), 37), *ends, *(end - 1 for end in ends), *(end + 1 for end in ends[:-1])}
    ):
        cut.write_bytes(content[:size])
        count = sum(end <= size for end in ends)
        assert list(read_record(cut)) == LINES[:count]
        with RecordWriter.append(cut) as writer:
            for line in LINES[count:]:
                writer.write(line)
        assert cut.read_bytes() == content


def test_what_is_there_already_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "match.jsonl").write_text("mine")
    with pytest.raises(FileExistsError):
        RecordWriter.create(tmp_path / "match.jsonl")
    assert (tmp_path / "match.jsonl").read_text() == "mine"


@NAMES
def test_two_cannot_write_to_one_record(tmp_path: Path, name: str) -> None:
    with RecordWriter.create(tmp_path / name) as writer:
        writer.write(LINES[0])
        with pytest.raises(RecordError, match="being written by another"):
            RecordWriter.append(tmp_path / name)
    RecordWriter.append(tmp_path / name).close()


def test_a_full_disk_is_one_sentence() -> None:
    words = r"'/dev/full' cannot be written: No space left on device\."
    with RecordWriter(Path("/dev/full").open("wb", buffering=0)) as writer, pytest.raises(RecordError, match=words):
        writer.write(LINES[0])


def changed(lines: list[AnyLine], path: Path, old: str, new: str) -> Path:
    """A record in which something was changed afterwards."""
    text = write_record(path, lines).read_text()
    assert text.count(old) >= 1
    path.write_text(text.replace(old, new, 1))
    return path


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"bot1"', '"bob1"', "line 1: its chain does not fit: this line has been changed"),
        ('"deal":1', '"deal":2', "line 3: its chain does not fit: this line has been changed"),
        (
            ',"chain":"',
            ',"chain":"0',
            "line 1: it does not end in its chain: it is no line of a record",
        ),
        ("\n", "\n\n", "line 2: it is blank, and a record has no blank lines; remove it"),
        ("\n", " \n", "line 1: it does not end in its chain"),
    ],
)
def test_the_first_line_that_was_changed_is_named(tmp_path: Path, old: str, new: str, words: str) -> None:
    path = changed(LINES, tmp_path / "match.jsonl", old, new)
    for read in (lambda path: list(read_record(path)), RecordWriter.append):
        with pytest.raises(RecordError) as caught:
            read(path)
        assert str(caught.value).startswith(f"{str(path)!r}, {words}")
        assert str(caught.value).endswith(".")


@pytest.mark.parametrize(("change", "line", "words"), ALTERED.values(), ids=ALTERED)
def test_what_an_editor_has_changed_is_named(
    tmp_path: Path, change: Callable[[bytes], bytes], line: int, words: str
) -> None:
    path = write_record(tmp_path / "match.jsonl", LINES)
    path.write_bytes(change(path.read_bytes()))
    for read in (lambda path: list(read_record(path)), RecordWriter.append):
        with pytest.raises(RecordError) as caught:
            read(path)
        assert str(caught.value).startswith(f"{str(path)!r}, line {line}: {words}")


def test_what_is_no_record_has_not_been_changed_by_an_editor(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    path.write_bytes(b"\xef\xbb\xbfname,points\r\n")
    with pytest.raises(RecordError, match="no line of a"):
        list(read_record(path))


def test_a_field_that_nobody_knows_is_named(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    path.write_bytes(chained(to_json(LINES[1]).encode()[:-1] + b',"luck":7}', START)[0] + b"\n")
    with pytest.raises(RecordError, match=r"line 1: deal\.luck: Extra"):
        list(read_record(path))


@pytest.mark.parametrize("name", ["nothing", "."])
def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(RecordError, match=r"cannot be read: (No|Is)"):
        list(read_record(tmp_path / name))


def test_a_line_without_end_is_refused(tmp_path: Path) -> None:
    (tmp_path / "long").write_bytes(b"{" * (1 << 21))
    with pytest.raises(RecordError, match=r"line 1: .* longer than 1,048,576 bytes"):
        list(read_record(tmp_path / "long"))


def test_every_line_is_json_with_its_chain_last(tmp_path: Path) -> None:
    for line in write_record(tmp_path / "match.jsonl", LINES).read_text().splitlines():
        assert list(json.loads(line))[-1] == "chain"
