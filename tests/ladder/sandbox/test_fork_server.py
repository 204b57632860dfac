"""The fork server: what it makes to hide numbers, and that processes which fork without end leave it time."""

from __future__ import annotations

import ctypes
import itertools
import os
import signal
import socket
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


def test_processes_that_end_faster_than_they_are_reaped_do_not_keep_it_from_commands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In gVisor orphans that fork and exit always leave one more: the server went through them for ever."""
    numbers = itertools.count(2)
    monkeypatch.setattr(os, "waitpid", lambda number, options: (next(numbers), 0))
    for name in ("_state", "_counters", "_sockets"):
        monkeypatch.setattr(fork_server, name, list)
    handler, pairs = signal.getsignal(signal.SIGCHLD), [socket.socketpair(), socket.socketpair()]
    ours, theirs = pairs[0]
    monkeypatch.setattr(socket, "socketpair", lambda: pairs[1])
    try:
        theirs.shutdown(socket.SHUT_WR)  # the end of its commands
        assert not fork_server.serve(ours, os.getuid())
    finally:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, handler)
        for end in itertools.chain(*pairs):
            end.close()
    assert next(numbers) <= 2 + 2 * fork_server.REAPED_AT_ONCE
