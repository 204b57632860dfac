"""Wants the kernel to kill the first process: it sets its limits by every call that takes a number, and floods it."""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tests.bad_bots.honest import play_with
from tests.ladder.sandbox.docker.probe import attempt
from tests.ladder.sandbox.docker.system_calls import named

FIRST = 1
LIMITS = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]
GROUPS = (
    (os.PRIO_PROCESS, FIRST),
    (os.PRIO_PGRP, 0),
    (os.PRIO_PGRP, FIRST),
    (os.PRIO_USER, 0),
    (os.PRIO_USER, os.getuid()),
)
SIGNALS = sorted(set(range(signal.NSIG)) - {signal.SIGCONT})
"""All but the one that a session's processes may send each other, and that does nothing to one that runs."""
ROUNDS, ORPHANS = 100, 10


def met(*attempts: Callable[[], object]) -> list[str]:
    return sorted({named(attempt(each)) for each in attempts})


def kill_the_first() -> dict[str, object]:
    facts = {
        "limits": met(*[lambda each=each: resource.prlimit(FIRST, each, (0, 0)) for each in LIMITS]),
        "priority": met(*[lambda each=each: os.setpriority(each[0], each[1], 19) for each in GROUPS]),
        "cores": met(lambda: os.sched_setaffinity(FIRST, {max(os.sched_getaffinity(0))})),
        "signals": met(*[lambda each=each: os.kill(FIRST, each) for each in SIGNALS]),
        "group": met(lambda: os.setpgid(FIRST, 0)),
        "its CPU time": met(lambda: time.clock_gettime((~FIRST << 3) | 2)),
        "another's user": met(lambda: os.setresuid(0, 0, 0), lambda: os.setresuid(-1, os.getuid() + 1, -1)),
        "shares a user with it": os.getuid() in users_of(FIRST),
    }
    flood()
    return facts


def users_of(process: int) -> list[int]:
    """Its real, effective and saved user; none if nothing tells."""
    with suppress(PermissionError):
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
        return [int(word) for line in lines if line.startswith("Uid:") for word in line.split()[1:]]
    return []


def flood() -> None:
    """Make it work: signals of children that it does not have, and orphans that it must reap."""
    for _ in range(ROUNDS):
        with suppress(OSError):
            os.kill(FIRST, signal.SIGCHLD)
        child = os.fork()
        if child == 0:
            with suppress(OSError):  # as many as there is room for
                for _ in range(ORPHANS):
                    if os.fork() == 0:
                        os._exit(0)
            os._exit(0)
        os.waitpid(child, 0)


play_with(kill_the_first)
