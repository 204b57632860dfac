"""Files that are there as a whole, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.sandbox.host.whole_file import write_whole

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_takes_the_place_of_another_and_only_its_user_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    for content in (b"first", b"second"):
        write_whole(path, content)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"second", 0o600)
    assert list(path.parent.iterdir()) == [path]


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.mkdir()
    with pytest.raises(OSError, match="Is a directory"):
        write_whole(path, b"content")
    assert list(tmp_path.iterdir()) == [path]
