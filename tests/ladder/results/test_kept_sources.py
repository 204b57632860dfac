"""Sources that are put by until they are fingerprinted: chosen within limits, and private."""

from __future__ import annotations

import gzip
import stat
from typing import TYPE_CHECKING

import pytest

from ladder.results import kept_sources
from ladder.results.kept_sources import MAX_BYTES, MAX_SOURCES, SourceFiles, sources_in

if TYPE_CHECKING:
    from pathlib import Path

ONE = f"sha256:{'1' * 64}"


def test_sources_near_the_top_come_first_and_only_texts_of_known_languages() -> None:
    files = [("lib/a.py", b"a"), ("bot.py", b"b = '\xff'"), ("model.bin", b"c"), ("z.GO", b"d"), ("bin.py", b"\0")]
    assert sources_in(files) == {"bot.py": "b = '\ufffd'", "z.GO": "d", "lib/a.py": "a"}
    assert list(sources_in(files)) == ["bot.py", "z.GO", "lib/a.py"]


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_the_rest_of_what_is_too_long_is_left_out(more: int) -> None:
    found = sources_in([("a.py", b"x" * (MAX_BYTES + more)), ("b.py", b"y")])
    assert len(found["a.py"]) == min(MAX_BYTES, MAX_BYTES + more)
    assert ("b.py" in found) == (more < 0)
    many = sources_in((f"{number}.py", b"x") for number in range(MAX_SOURCES + more))
    assert len(many) == min(MAX_SOURCES, MAX_SOURCES + more)


def test_what_is_put_by_is_read_again_and_only_the_ladders_user_can(tmp_path: Path) -> None:
    files = SourceFiles(tmp_path)
    assert (files.waiting(), files.fingerprinted(), files.sources(ONE), files.prints(ONE)) == ([], [], None, b"")
    worst = {"bot.py": "\x01" * (MAX_BYTES - 4), "b.py": "拱猪"}
    files.put_by(ONE, worst)
    assert files.sources(ONE) == worst, "as JSON it is six times as long"
    assert stat.S_IMODE(files.root.stat().st_mode) == 0o700
    files.keep_prints(ONE, [3, 2**61])
    assert files.prints(ONE) == (3).to_bytes(8, "little") + (2**61).to_bytes(8, "little")
    files.put_by(ONE, worst)
    assert (files.waiting(), files.fingerprinted()) == ([], [ONE]), "it is known already"


def test_what_is_damaged_counts_as_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = SourceFiles(tmp_path)
    files.put_by(ONE, {"bot.py": "x"})
    (path,) = (files.root / "waiting").iterdir()
    for content in (b"", b"no gzip", gzip.compress(b"{"), gzip.compress(b"[1]"), gzip.compress(b'"x"')[:-2]):
        path.write_bytes(content)
        assert files.sources(ONE) is None
    (files.root / "waiting" / "note.txt").touch()
    assert files.waiting() == [ONE]
    files.keep_prints(ONE, [1])
    (path,) = (files.root / "fingerprints").iterdir()
    path.write_bytes(path.read_bytes() + b"half")
    assert files.prints(ONE) == (1).to_bytes(8, "little")
    monkeypatch.setattr(kept_sources, "PRINTS_END", ".9.prints")
    assert files.fingerprinted() == [], "those that were made in another way"


def test_a_name_that_is_no_identity_is_no_path(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no identity"):
        SourceFiles(tmp_path).put_by("../../etc", {"a.py": "x"})
