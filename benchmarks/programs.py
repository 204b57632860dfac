"""Programs of Pigpen that run beside a benchmark, and what they use."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.sandbox.process import forked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Process:
    """A program that runs."""

    name: str
    pid: int

    @property
    def memory(self) -> float:
        """MiB that are in memory."""
        return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * resource.getpagesize() / 2**20

    @property
    def cpu(self) -> float:
        """Seconds of CPU time so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS


def dying_with_us(*words: str | Path) -> list[str]:
    """Let a program, named by its whole path, be killed when this process ends in any way; only for the main thread."""
    return forked.dying_with_us([*map(str, words)])


@contextmanager
def running(words: Sequence[str], folder: Path, name: str, settings: Mapping[str, str]) -> Iterator[Process]:
    """Run ``pigpen WORDS`` meanwhile, with a ladder in that folder and with settings from the environment."""
    where = {"PIGPEN_DATA_DIR": str(folder), **settings}
    with (folder / f"{words[-1]}.err").open("wb") as errors:
        program = subprocess.Popen(
            dying_with_us(sys.executable, "-m", "ladder.cli.entry", *words), env=os.environ | where, stderr=errors,
            stdout=subprocess.DEVNULL, cwd=folder,
        )  # fmt: skip
    try:
        yield Process(name, program.pid)
    finally:
        program.terminate()
        program.wait()


def free_port() -> int:
    """Find a port at which no program listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])
