"""In seat 0: takes memory, processes, files and CPU time. In seat 1: looks where /proc, /sys and sysinfo tell of it."""

from __future__ import annotations

import os
import platform
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pigpen
from tests.bad_bots.honest import Honest, report
from tests.ladder.sandbox.docker.system_calls import call, named

SYSINFO = {"x86_64": 99, "aarch64": 179}[platform.machine()]
MAX_BYTES = 64 * 1024


def files() -> Iterator[str]:
    """All files that tell of the host, or might."""
    for name in os.listdir("/proc"):
        if not name.isdecimal() and name not in ("self", "thread-self"):
            yield from below(f"/proc/{name}")
    yield from below("/proc/self/net")
    yield from below("/sys")


def below(top: str) -> Iterator[str]:
    if not os.path.isdir(top):
        yield top
    for folder, _, names in os.walk(top):
        yield from (f"{folder}/{name}" for name in names)


def readings() -> dict[str, bytes]:
    found = {}
    for path in files():
        with suppress(OSError):
            if stat.S_ISREG(os.stat(path).st_mode):
                file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
                try:
                    found[path] = os.read(file, MAX_BYTES)
                finally:
                    os.close(file)
    return found


class Reader(Honest):
    before: dict[str, bytes] | None = None
    has_reported = False

    def play(self, view: pigpen.View) -> pigpen.Card:
        if view.seat == 0:
            self.take(len(view.hand))
        elif self.before is None:
            self.before = readings()
        elif len(view.hand) <= 6 and not self.has_reported:
            self.has_reported = True
            now = readings()
            changed = sorted(path for path in now if now[path] != self.before.get(path))
            report({"files that tell": changed[:20], "sysinfo": named(call(SYSINFO, 0))})
        return super().play(view)

    def take(self, number: int) -> None:
        """More of everything at each trick."""
        Path(f"/dev/shm/{number}").write_bytes(bytes(1 << 20))
        subprocess.Popen([sys.executable, "-S", "-c", "import signal; signal.pause()"])
        self.pipes = os.pipe()
        until = time.process_time() + 0.02
        while time.process_time() < until:
            pass


pigpen.run(Reader())
