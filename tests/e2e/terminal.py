"""A terminal with `pigpen` in it: keys go in, and the last screen drawn can be read."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.e2e.command import PIGPEN, ROOT, environment
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

IN_CONTROL = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
"""Makes the terminal the one whose Ctrl-C interrupts the program."""
_SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A pseudo-terminal and the program in it."""

    def __init__(self, program: subprocess.Popen[bytes], outside: int, inside: int) -> None:
        self.program = program
        self.output = ""
        """All that was written, with every control sequence."""
        self._outside = outside
        self._inside = inside
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    @property
    def screen(self) -> str:
        """The text of the screen drawn last."""
        return _SEQUENCE.sub("", self.output.rpartition("\x1b[H")[2])

    @property
    def modes(self) -> list[object]:
        """Read the settings of the terminal."""
        return list(termios.tcgetattr(self._inside))

    def press(self, keys: str) -> None:
        """Press keys."""
        os.write(self._outside, keys.encode())

    def resize(self, columns: int, lines: int) -> None:
        """Change the size of the terminal."""
        fcntl.ioctl(self._outside, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def see(self, text: str) -> None:
        """Wait until the screen shows *text*."""
        self.wait_for(lambda: text in self.screen, text)

    def see_lines(self, columns: int, lines: int) -> None:
        """Wait until the screen is filled: all its lines, each as wide as the terminal."""
        size = f"{columns}×{lines}"
        self.wait_for(lambda: [*map(len, self.screen.splitlines())] == [columns] * lines, size)

    def write_until(self, text: str) -> None:
        """Wait until *text* has been written, anywhere."""
        self.wait_for(lambda: text in self.output, text)

    def end(self) -> int:
        """Wait until the program ends, and give its exit code."""
        self.wait_for(lambda: self.program.poll() is not None, "the end")
        self._read()
        return self.program.wait()

    def wait_for(self, condition: Callable[[], bool], what: str) -> None:
        """Wait until *condition* holds; *what* is said when it never does."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, f"{what!r} never came; the screen is:\n{self.screen}"
            self._read()

    def _read(self) -> None:
        while select.select([self._outside], [], [], 0.05)[0]:
            self.output += self._decoder.decode(os.read(self._outside, 65536))


@contextmanager
def terminal(*words: str, columns: int = 80, lines: int = 24, **extra: str) -> Iterator[Terminal]:
    """Run ``pigpen WORDS`` in a terminal of its own; it is killed at the end if it still runs."""
    outside, inside = pty.openpty()
    variables = environment(TERM="xterm-256color", **extra)
    for name in ("COLUMNS", "LINES"):  # readline sets both in a process that starts the workers of the suite
        variables.pop(name, None)
    program = subprocess.Popen(
        [sys.executable, "-c", IN_CONTROL, PIGPEN, *words],
        cwd=ROOT, env=variables, stdin=inside, stdout=inside, stderr=inside, start_new_session=True,
    )  # fmt: skip
    found = Terminal(program, outside, inside)
    found.resize(columns, lines)
    try:
        yield found
    finally:
        program.kill()
        program.wait()
        os.close(outside)
        os.close(inside)
