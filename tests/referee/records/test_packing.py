"""Lines in gzip: readable for every gzip, and no byte of them can be changed."""

from __future__ import annotations

import gzip
import io
import zlib

import pytest

from referee.records.framing import (
    HEADER_BYTES,
    LINE_BYTES,
    TOO_LONG,
    RecordCut,
    RecordError,
    is_packed,
    pack,
    read_member,
)

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
