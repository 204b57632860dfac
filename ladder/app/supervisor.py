"""Processes that run side by side and are restarted when they die, until they are stopped one after the other."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ladder.app.forked_command import ForkedCommand, can_fork, fork_command
from ladder.app.signal_waiter import waiting_for_signals
from ladder.sandbox.process.dying import dying_with_us

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0
"""Seconds before a process is started again, doubled each time that it dies soon."""
MAX_ERRORS = 10 * 1024**2
"""Bytes of a file of errors; one that is larger when its process starts becomes the old one, of which there is one."""
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGTERM)
"""
By which a part is asked to end: for the first time, for the second, and from then on. Two of the same number, one soon
after the other, would come as one; SIGTERM is the first because a process in the background may ignore SIGINT.
"""
STOPPING = (
    "Finishing the matches that are played, then the site ends; Ctrl-C again gives the matches up.",
    "Giving the matches up; the next run plays them again.",
)
"""Sentences for the first `Supervisor.stop`, and the second."""
STEADY_SECONDS = 60.0
"""Seconds of life after which the end of a process counts as the first one again, and the pause is short."""


@dataclass
class SupervisedProcess:
    """One of the processes."""

    name: str
    """The name that messages to people use."""
    arguments: Sequence[str]
    """Of the program."""
    errors: Path
    """The file that receives its stderr."""
    descriptors: tuple[int, ...] = ()
    """Files that it inherits."""
    program: str = ""
    """The path of another program that takes the arguments; empty: the command `pigpen`."""
    environment: Mapping[str, str] | None = None
    """All of its variables; None: ours."""
    main: Callable[[], object] | None = None
    """Runs the command `pigpen` in a process that is forked from ours, where that can be done."""
    process: subprocess.Popen[bytes] | ForkedCommand | None = field(default=None, init=False)
    began: float = field(default=0.0, init=False)
    pause: float = field(default=FIRST_PAUSE, init=False)
    starts_at: float | None = field(default=None, init=False)
    """The time of its next start, by `time.monotonic`; None: it runs, or has ended for good."""

    def start(self) -> None:
        """Start it, in a session of its own: Ctrl-C in the terminal is for the supervisor alone."""
        self._rotate_errors()
        with self.errors.open("ab") as errors:
            if self.main is not None and not self.program and can_fork():
                words = ("pigpen", *self.arguments)
                self.process = fork_command(self.main, words, errors.fileno(), self.descriptors)
            else:
                self.process = self._execute(errors.fileno())
        self.began, self.starts_at = time.monotonic(), None

    def _rotate_errors(self) -> None:
        with suppress(OSError):  # there is none yet, for example
            if self.errors.stat().st_size > MAX_ERRORS:
                self.errors.replace(self.errors.with_name(f"{self.errors.name}.1"))

    def _execute(self, errors: int) -> subprocess.Popen[bytes]:
        program = [self.program] if self.program else [sys.executable, "-m", "ladder.cli.entry"]
        return subprocess.Popen(
            dying_with_us([*program, *self.arguments]),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            pass_fds=self.descriptors,
            start_new_session=True,
        )

    @property
    def has_ended(self) -> bool:
        """True if it was not started yet, or does not run any more."""
        return self.process is None or self.process.poll() is not None

    def signal(self, number: int) -> None:
        """Send it a signal, if it lives."""
        if self.process is not None:
            self.process.send_signal(number)

    def next_pause(self) -> float:
        """Give the seconds to wait before it is started again."""
        if time.monotonic() - self.began > STEADY_SECONDS:
            self.pause = FIRST_PAUSE
        now, self.pause = self.pause, min(2 * self.pause, LONGEST_PAUSE)
        return now

    def last_words(self) -> str:
        """Give the last line that it wrote to stderr."""
        with self.errors.open("rb") as file:
            file.seek(max(0, self.errors.stat().st_size - 4096))
            lines = file.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""


class Supervisor:
    """Runs the parts until `stop`: then the last of them is asked to end, and when it has, the one before it."""

    def __init__(
        self,
        parts: Sequence[SupervisedProcess],
        tell: Callable[[str], None],
        prepare: Callable[[], object] = lambda: None,
    ) -> None:
        """
        Prepare.

        Args:
            parts: In the order in which they are started.
            tell: Called with a sentence when a part has died, and when all are stopped.
            prepare: Called before the first part is started: imports what parts that are forked share.
        """
        self._parts = parts
        self._tell = tell
        self._prepare = prepare
        self._wanted = self._stops = 0

    def run(self) -> None:
        """
        Start all parts and keep them running; return when all have ended after `stop`. Only for the main thread.

        It starts no thread: a process with several cannot be forked, and the kernel ends a child with the thread that
        made it.
        """
        self._prepare()
        with waiting_for_signals(signal.SIGCHLD) as wait:
            for part in self._parts:
                part.start()
            while not (self._stops and all(part.has_ended for part in self._parts)):
                wait(self._seconds_to_wait())
                self._look()

    def stop(self) -> None:
        """End all; called again, sooner. For signal handlers."""
        self._wanted += 1

    def _seconds_to_wait(self) -> float | None:
        if self._wanted > self._stops:
            return 0.0
        starts = [part.starts_at for part in self._parts if part.starts_at is not None]
        return max(0.0, min(starts) - time.monotonic()) if starts and not self._stops else None

    def _look(self) -> None:
        has_died = False
        for part in self._parts:
            if part.process is not None and (code := part.process.poll()) is not None:
                part.process, has_died = None, True
                self._ended(part, code)
        while self._stops < self._wanted:
            self._stops += 1
            if self._stops <= len(STOPPING):
                self._tell(STOPPING[self._stops - 1])
            self._stop_last()
            has_died = False
        if self._stops and has_died:
            self._stop_last()
        for part in self._parts:
            if not self._stops and part.starts_at is not None and time.monotonic() >= part.starts_at:
                part.start()

    def _ended(self, part: SupervisedProcess, code: int) -> None:
        if self._stops:
            return
        pause = part.next_pause()
        words = part.last_words()
        self._tell(f"{part.name} has ended (exit code {code}); it is started again in {pause:g} s. {words}".rstrip())
        part.starts_at = time.monotonic() + pause

    def _stop_last(self) -> None:
        for part in reversed(self._parts):
            if not part.has_ended:
                part.signal(SIGNALS[min(self._stops, len(SIGNALS)) - 1])
                return
