"""Objects that the fork server makes before an instance move the kernel's counters as an instance's own files would."""

from __future__ import annotations

import ctypes
import tempfile
from pathlib import Path

import pytest

from ladder.sandbox import fork_server

SHARED_MEMORY = Path("/dev/shm")

pytestmark = pytest.mark.skipif(not SHARED_MEMORY.is_dir(), reason="only Linux numbers names in a folder")


def renaming_takes_a_name(folder: str) -> bool:
    """True if a file that is renamed gets another place in its folder: older kernels count the entries."""
    libc = ctypes.CDLL(None)
    libc.opendir.restype = ctypes.c_void_p
    libc.readdir.argtypes = libc.telldir.argtypes = libc.closedir.argtypes = [ctypes.c_void_p]
    libc.telldir.restype = ctypes.c_long

    def place() -> int:
        opened = libc.opendir(folder.encode())
        for _ in (".", ".."):
            libc.readdir(opened)
        found: int = libc.telldir(opened)
        libc.closedir(opened)
        return found

    file = Path(folder, "x")
    file.touch()
    before = place()
    file = file.rename(f"{folder}/y")
    after = place()
    file.unlink()
    return before != after


def test_a_file_that_is_made_to_hide_numbers_takes_one_and_each_renaming_takes_a_name() -> None:
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY) as folder:
        before = fork_server._numbers_of_a_file(folder)
        fork_server._use_numbers(folder, renamings=5)
        after = fork_server._numbers_of_a_file(folder)
        assert not list(Path(folder).iterdir())
        is_numbered = renaming_takes_a_name(folder)
    files, names = (new - old for new, old in zip(after, before, strict=True))
    assert files >= 2  # other programs make files there, too
    assert names == (2 + 5 if is_numbered else 0)


def test_a_process_that_is_made_to_hide_numbers_takes_a_number_and_is_gone() -> None:
    numbers = [fork_server._number_of_a_process() for _ in range(3)]
    assert len({*numbers}) == 3
    assert not [number for number in numbers if Path(f"/proc/{number}").exists()]
