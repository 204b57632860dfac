"""Processes that run side by side and are restarted when they die, until they are stopped one after the other."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING

from ladder.runner.events import EventQueue
from ladder.sandbox.process.dying import dying_with_us

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0
"""Seconds before a process is started again, doubled each time that it dies soon."""
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGTERM)
"""
By which a part is asked to end: for the first time, for the second, and from then on. Two of the same number, one soon
after the other, would come as one; SIGTERM is the first because a process in the background may ignore SIGINT.
"""
STEADY_SECONDS = 60.0
"""Seconds of life after which the end of a process counts as the first one again, and the pause is short."""


@dataclass
class SupervisedProcess:
    """One of the processes."""

    name: str
    """What people call it."""
    arguments: Sequence[str]
    """Of the program."""
    errors: Path
    """What it writes to stderr goes there."""
    descriptors: tuple[int, ...] = ()
    """Files that it inherits."""
    program: str = ""
    """The path of another program that takes the arguments; empty: the command `pigpen`."""
    environment: Mapping[str, str] | None = None
    """All of its variables; None: ours."""
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    began: float = field(default=0.0, init=False)
    pause: float = field(default=FIRST_PAUSE, init=False)

    def start(self) -> subprocess.Popen[bytes]:
        """Start it, in a session of its own: Ctrl-C in the terminal is for the supervisor alone."""
        program = [self.program] if self.program else [sys.executable, "-m", "ladder.cli.entry"]
        with self.errors.open("ab") as errors:
            self.process = subprocess.Popen(
                dying_with_us([*program, *self.arguments]),
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                pass_fds=self.descriptors,
                start_new_session=True,
            )
        self.began = time.monotonic()
        return self.process

    def signal(self, number: int) -> None:
        """Send it a signal, if it lives."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)

    def next_pause(self) -> float:
        """Seconds to wait before it is started again."""
        if time.monotonic() - self.began > STEADY_SECONDS:
            self.pause = FIRST_PAUSE
        now, self.pause = self.pause, min(2 * self.pause, LONGEST_PAUSE)
        return now

    def last_words(self) -> str:
        """The last line that it wrote to stderr."""
        with self.errors.open("rb") as file:
            file.seek(max(0, self.errors.stat().st_size - 4096))
            lines = file.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""


class Supervisor:
    """Runs the parts until `stop`: then the last of them is asked to end, and when it has, the one before it."""

    def __init__(self, parts: Sequence[SupervisedProcess], tell: Callable[[str], None]) -> None:
        """
        Prepare.

        Args:
            parts: In the order in which they are started.
            tell: Called with a sentence when a part has died.
        """
        self._parts = parts
        self._tell = tell
        self._events = EventQueue()
        self._stops = 0

    def run(self) -> None:
        """Start all parts and keep them running; return when all have ended after `stop`."""
        for part in self._parts:
            self._start(part)
        while not (self._stops and self._have_ended(self._parts)):
            self._events.get()()

    def stop(self) -> None:
        """End all; called again, sooner. For signal handlers, too."""
        self._events.put(self._stop)

    def _start(self, part: SupervisedProcess) -> None:
        # Always in the thread that runs `run`: the kernel ends a child with the thread that made it.
        Thread(target=self._watch, args=[part, part.start()], daemon=True).start()

    def _watch(self, part: SupervisedProcess, process: subprocess.Popen[bytes]) -> None:
        self._events.put(partial(self._ended, part, process.wait()))

    def _ended(self, part: SupervisedProcess, code: int) -> None:
        if self._stops:
            self._stop_next()
            return
        pause = part.next_pause()
        words = part.last_words()
        self._tell(f"{part.name} has ended (exit code {code}); it is started again in {pause:g} s. {words}".rstrip())
        Thread(target=self._start_later, args=[part, pause], daemon=True).start()

    def _start_later(self, part: SupervisedProcess, seconds: float) -> None:
        time.sleep(seconds)
        self._events.put(lambda: None if self._stops else self._start(part))

    def _stop(self) -> None:
        self._stops += 1
        self._stop_next()

    def _stop_next(self) -> None:
        for part in reversed(self._parts):
            if not self._have_ended([part]):
                part.signal(SIGNALS[min(self._stops, len(SIGNALS)) - 1])
                return

    def _have_ended(self, parts: Sequence[SupervisedProcess]) -> bool:
        return all(part.process is None or part.process.poll() is not None for part in parts)
