"""Locks bytes of files that all containers may open, to send another seat its hand; tries leases and notices too."""

from __future__ import annotations

import fcntl
import os
import platform
import sys
from collections.abc import Iterator

import pigpen
from tests.bad_bots.channels import LAUNCHER
from tests.bad_bots.honest import report
from tests.bad_bots.signalling import Signalling
from tests.ladder.sandbox.docker.probe import attempt
from tests.ladder.sandbox.docker.system_calls import call, named

FILES = [
    LAUNCHER,
    sys.argv[0],
    "/etc/hosts",
    sys.executable,
    "/proc/self/ns/time",
    "/proc/self/ns/pid",
]
COMMANDS = {"F_GETLK": 5, "F_SETLK": 6, "F_SETLKW": 7, "F_OFD_GETLK": 36, "F_OFD_SETLK": 37, "F_OFD_SETLKW": 38,
            "F_SETLEASE": 1024, "F_GETLEASE": 1025, "F_NOTIFY": 1026}  # fmt: skip
UNLOCK = bytes([fcntl.F_UNLCK, *bytes(31)])
"""Lock at which attempts are made: not at the bytes that carry the hand."""
CALLS = {"x86_64": (253, 294, 254, 300), "aarch64": (26, 27, 262)}[platform.machine()]
"""inotify_init, where there is one, inotify_init1, inotify_add_watch, fanotify_init."""


def descriptors() -> Iterator[int]:
    """Whatever of the files can be opened, and an event counter: all of those have one inode."""
    yield os.eventfd(0)
    for path in FILES:
        if os.access(path, os.R_OK):
            try:
                yield os.open(path, os.O_RDONLY)
            except PermissionError:
                continue


def answers() -> Iterator[int]:
    """The error numbers of all attempts."""
    for file in descriptors():
        yield attempt(lambda file=file: fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB))  # type: ignore[misc]
        for command in COMMANDS.values():
            yield attempt(lambda file=file, command=command: fcntl.fcntl(file, command, UNLOCK))  # type: ignore[misc]
    for number in CALLS:
        yield call(number)


class Locker(Signalling):
    def match_started(self, welcome: pigpen.Welcome) -> None:
        report({f"seat {welcome.seat} tried": sorted({named(answer) for answer in answers()})})


pigpen.run(Locker("locks on the launcher", "locks on a namespace"))
