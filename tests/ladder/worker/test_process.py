"""The program of a worker process, apart from what it plays."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest
import structlog

from ladder.matches.kinds import open_sandbox
from ladder.sandbox.docker.image_lock import memory_share
from ladder.values.sandbox_kind import SandboxKind, SandboxSetup
from ladder.worker.process import log_to

HANGS = """
import sys, threading
from ladder.worker import process
threading.Thread(target=process._end_without, args=(int(sys.argv[1]), 0.0), daemon=True).start()
print("begun", flush=True)
while True:
    pass
"""


@pytest.fixture
def lines() -> Iterator[list[str]]:
    lines: list[str] = []
    log_to(lines.append)
    yield lines
    structlog.reset_defaults()


def test_a_process_that_hangs_ends_after_its_coordinator() -> None:
    ours, theirs = socket.socketpair()
    with theirs, subprocess.Popen(
        [sys.executable, "-c", HANGS, str(theirs.fileno())], pass_fds=[theirs.fileno()], stdout=subprocess.PIPE
    ) as program:  # fmt: skip
        assert program.stdout is not None
        assert program.stdout.readline() == b"begun\n"
        assert program.poll() is None
        ours.close()
        assert program.wait() == 1


def test_its_events_are_lines_for_the_coordinator(lines: list[str]) -> None:
    log = structlog.get_logger()
    log.warning("image.slow", match=7, folder=sys)
    try:
        raise ZeroDivisionError("division by zero")
    except ZeroDivisionError:
        log.exception("worker.failed", match=8)
    slow, failed = map(json.loads, lines)
    assert slow == {"event": "image.slow", "level": "warning", "match": 7, "folder": str(sys)}
    assert (failed["event"], failed["level"], failed["match"]) == ("worker.failed", "error", 8)
    assert "division by zero" in failed["exception"]


def test_processes_divide_the_memory_of_one_machine() -> None:
    setup = SandboxSetup(SandboxKind.DOCKER, warm_bytes=1000, processes=4)
    sandbox = open_sandbox(setup)
    assert sandbox._make_starter.keywords["warm_bytes"] == 250  # type: ignore[attr-defined]
    assert sandbox._images._max_bytes == memory_share() // 4  # type: ignore[attr-defined]
