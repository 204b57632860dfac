"""The secret of a ladder that all its processes and threads have."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from ladder.app.kept_secret import kept_secret
from ladder.errors import LadderError

if TYPE_CHECKING:
    from pathlib import Path

THREADS = 8


def test_threads_that_need_it_first_at_the_same_moment_get_the_same_one(tmp_path: Path) -> None:
    start = threading.Barrier(THREADS)

    def first(file: Path) -> bytes:
        start.wait()
        return kept_secret(file, "The secret")

    with ThreadPoolExecutor(THREADS) as threads:
        for turn in range(20):
            file = tmp_path / str(turn) / "secret"
            assert len({*threads.map(first, [file] * THREADS)}) == 1
            assert [path.name for path in file.parent.iterdir()] == ["secret"]
            assert file.stat().st_mode & 0o777 == 0o600


def test_a_file_that_holds_something_else_is_named(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("abc")
    with pytest.raises(LadderError, match=f"^The secret, {tmp_path}/secret, "):
        kept_secret(tmp_path / "secret", "The secret")
    (tmp_path / "secret").write_text("abcd")
    with pytest.raises(LadderError, match="has 2 bytes instead of 32"):
        kept_secret(tmp_path / "secret", "The secret")
