"""What the fork server makes before an instance moves the kernel's counters, as an instance's own files would."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from ladder.sandbox import fork_server

SHARED_MEMORY = Path("/dev/shm")

pytestmark = pytest.mark.skipif(not SHARED_MEMORY.is_dir(), reason="only Linux numbers names in a folder")


def test_a_file_that_is_made_to_hide_numbers_takes_one_and_each_renaming_takes_two_names() -> None:
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY) as folder:
        before = fork_server._numbers_of_a_file(folder)
        fork_server._use_numbers(folder, renamings=5)
        after = fork_server._numbers_of_a_file(folder)
        assert not list(Path(folder).iterdir())
    files, names = (new - old for new, old in zip(after, before, strict=True))
    assert files >= 2  # other programs make files there, too
    assert names == 2 + 2 * 5
