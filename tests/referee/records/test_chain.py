"""The hash chain: any language can check it with SHA-256 and a search for bytes."""

from __future__ import annotations

import hashlib
import itertools
import re
from pathlib import Path

import pytest

from referee.records.framing import START, RecordError, chained, unchained
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
    with pytest.raises(RecordError, match="or the one before it is another"):
        unchained(second, START)


@pytest.mark.parametrize("text", [b"", b"{}", b'{"a":1}', b'{"a":1,"chain":"00"}', b'{"chain":"' + b"0" * 64 + b'"}'])
def test_a_line_without_a_chain_is_no_line_of_a_record(text: bytes) -> None:
    with pytest.raises(RecordError, match="it does not end in its chain"):
        unchained(text, START)


def test_the_published_lines_hold() -> None:
    text = (Path(__file__).resolve().parents[3] / "docs" / "records.md").read_text(encoding="utf-8")
    lines = re.findall(r'^    (\{"[ab]":\d,"chain":"\w{64}"\})$', text, flags=re.MULTILINE)
    assert len(lines) == 2
    before = START
    for line in lines:
        _, before = unchained(line.encode(), before)
