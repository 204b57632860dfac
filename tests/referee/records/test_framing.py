"""Lines of a record: the hash chain that any language can check, and lines in gzip of which no byte can be changed."""

from __future__ import annotations

import gzip
import hashlib
import io
import itertools
import re
import zlib
from pathlib import Path

import pytest

from referee.records.framing import (
    HEADER_BYTES,
    LINE_BYTES,
    START,
    TOO_LONG,
    RecordCut,
    RecordError,
    chained,
    is_packed,
    pack,
    read_member,
    unchained,
)
from tests.referee.recorded import match_lines, write_record


def test_a_line_ends_in_the_hash_of_itself_and_of_the_hash_before_it() -> None:
    first, one = chained(b'{"a":1}', START)
    second, two = chained(b'{"b":2}', one)
    assert first == b'{"a":1,"chain":"' + hashlib.sha256(b'{"a":1}').hexdigest().encode() + b'"}'
    assert two == hashlib.sha256(one.encode() + b'{"b":2}').hexdigest()
    assert second.endswith(two.encode() + b'"}')
    assert unchained(first, START) == (b'{"a":1}', one)
    assert unchained(second, one) == (b'{"b":2}', two)


def test_the_recipe_in_plain_words_holds_for_a_record(tmp_path: Path) -> None:
    lines = write_record(tmp_path / "match.jsonl", match_lines()).read_bytes().splitlines()
    chains = ["", *(line[-66:-2].decode() for line in lines)]
    for line, (before, own) in zip(lines, itertools.pairwise(chains), strict=True):
        text = line[: line.rindex(b',"chain":"')] + b"}"
        assert hashlib.sha256(before.encode() + text).hexdigest() == own


def test_a_line_that_was_changed_does_not_fit() -> None:
    line, _ = chained(b'{"a":1}', START)
    for place in range(len(line)):
        for bit in range(8):
            changed = bytearray(line)
            changed[place] ^= 1 << bit
            with pytest.raises(RecordError):
                unchained(bytes(changed), START)


def test_a_line_does_not_fit_behind_another_than_its_own() -> None:
    _, one = chained(b'{"a":1}', START)
    second, _ = chained(b'{"b":2}', one)
    with pytest.raises(RecordError, match="the one before it"):
        unchained(second, START)


@pytest.mark.parametrize("text", [b"", b"{}", b'{"a":1}', b'{"a":1,"chain":"00"}', b'{"chain":"' + b"0" * 64 + b'"}'])
def test_a_line_without_a_chain_is_no_line_of_a_record(text: bytes) -> None:
    with pytest.raises(RecordError, match="end in its chain"):
        unchained(text, START)


def test_the_published_lines_hold() -> None:
    text = (Path(__file__).resolve().parents[3] / "docs" / "records.md").read_text(encoding="utf-8")
    lines = re.findall(r'^    (\{"[ab]":\d,"chain":"\w{64}"\})$', text, flags=re.MULTILINE)
    assert len(lines) == 2
    before = START
    for line in lines:
        _, before = unchained(line.encode(), before)


LINE = b'{"by":"bot","by":"bot","by":"bot"} 0000000000000000\n'


def read(packed: bytes) -> bytes:
    return read_member(io.BytesIO(packed))


@pytest.mark.parametrize("line", [b"", b"\n", LINE, bytes(range(256)) * 100])
def test_what_was_packed_is_unpacked_by_us_and_by_every_gzip(line: bytes) -> None:
    assert is_packed(pack(line))
    assert read(pack(line)) == line
    assert gzip.decompress(pack(line) + pack(b"more")) == line + b"more"


def test_members_are_read_one_by_one() -> None:
    file = io.BytesIO(pack(b"one\n") + pack(b"two\n"))
    assert [read_member(file), read_member(file), read_member(file)] == [b"one\n", b"two\n", b""]


def test_no_bit_of_a_member_can_be_changed() -> None:
    packed = pack(LINE)
    for place in range(len(packed)):
        for bit in range(8):
            changed = bytearray(packed)
            changed[place] ^= 1 << bit
            with pytest.raises(RecordError):
                read(bytes(changed))


def test_gzip_alone_would_let_many_changes_pass() -> None:
    """The header holds a hash of its own because the same text can be packed in many ways."""
    packed, passed = pack(LINE), 0
    for place in range(HEADER_BYTES, len(packed)):
        for bit in range(8):
            changed = bytearray(packed)
            changed[place] ^= 1 << bit
            try:
                passed += gzip.decompress(bytes(changed)) == LINE
            except (OSError, EOFError, zlib.error):
                continue
    assert passed > 0


def test_a_member_that_is_cut_off_anywhere_is_said_to_be() -> None:
    packed = pack(LINE)
    for end in range(1, len(packed)):
        with pytest.raises(RecordCut):
            read(packed[:end])


def test_a_short_file_that_unpacks_to_very_much_is_refused() -> None:
    assert len(pack(bytes(10 * LINE_BYTES))) < LINE_BYTES
    with pytest.raises(RecordError, match=TOO_LONG):
        read(pack(bytes(10 * LINE_BYTES)))
