"""
Processes that run side by side, are restarted when they die, and are stopped one after the other.

A command can run in a process forked from this one, with which it shares the memory of all imported modules; so modules
that forked processes have in common are imported in this one first. The wait for a signal ends when one comes, without
a look in between.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from ladder.garbage import no_garbage
from ladder.sandbox.fork_server import end_program, exit_code
from ladder.sandbox.process.forked import dying_with_us

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path


@contextmanager
def waiting_for_signals(*numbers: int) -> Iterator[Callable[[float | None], None]]:
    """
    Take signals, and give a function that waits for one. Only for the main thread.

    Args:
        numbers: Signals that would be ignored; those with a handler end a wait, too.

    Yields:
        It waits some seconds, None: for ever; it returns at once if a signal has come since the last wait.
    """
    reader, writer = socket.socketpair()
    for end in (reader, writer):
        end.setblocking(False)

    def wait(seconds: float | None) -> None:
        select.select([reader], [], [], seconds)
        with suppress(BlockingIOError):
            while reader.recv(4096):
                pass

    before = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    handlers = {number: signal.signal(number, lambda *_: None) for number in numbers}
    try:
        yield wait
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(before)
        reader.close()
        writer.close()


def import_shared(modules: Iterable[str]) -> None:
    """Import modules, and derive once what SQLAlchemy derives from the tables."""
    from ladder.store.all_tables import complete_models

    with no_garbage():
        for module in modules:
            importlib.import_module(module)
        complete_models()


PR_SET_PDEATHSIG = 1


class ForkedCommand:
    """The process; in use like `subprocess.Popen`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Give its exit code, minus the number of a signal that has killed it; None while it runs."""
        if self.returncode is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            if ended:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it runs."""
        if self.poll() is None:
            os.kill(self.pid, number)


def can_fork() -> bool:
    """Tell whether this process may fork: on Linux, while it has one thread; locks that others hold would stay so."""
    return sys.platform == "linux" and threading.active_count() == 1


def fork_command(main: Callable[[], object], words: Sequence[str], errors: int, kept: Collection[int]) -> ForkedCommand:
    """
    Fork, and run a command in the new process, which the kernel kills when the thread that called this ends.

    The process is as if a program had been started: leader of a session, without input, with default signal
    handlers, and no files of ours.

    Args:
        main: Runs the command.
        words: The command line: ``sys.argv`` there, and what the system's list of processes shows.
        errors: The file descriptor to which it writes stderr.
        kept: Other file descriptors that it keeps.
    """
    libc, us = ctypes.CDLL(None), os.getpid()
    for stream in (sys.stdout, sys.stderr):
        print(end="", file=stream, flush=True)  # or both processes would write what waits there
    gc.collect()
    gc.freeze()  # what exists now is never examined there, so its memory stays shared
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    pid = os.fork()
    if pid == 0:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != us:  # it ended before the request
            os._exit(1)
        _begin_anew(words, errors, kept)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        _run(main)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    return ForkedCommand(pid)


def _begin_anew(words: Sequence[str], errors: int, kept: Collection[int]) -> None:
    os.setsid()
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream, source in enumerate((nothing, nothing, errors)):
        os.dup2(source, stream)
    for descriptor in {int(name) for name in os.listdir("/proc/self/fd")} - {0, 1, 2, *kept}:
        with suppress(OSError):  # that of the folder that was listed
            os.close(descriptor)
    sys.argv[:] = words
    _show_as(words)


def _show_as(words: Sequence[str]) -> None:
    """Write the command line where the system's list of processes reads it, as far as there is room."""
    with suppress(OSError), open("/proc/self/stat", "rb") as stat, open("/proc/self/mem", "r+b", buffering=0) as memory:
        begin, end = map(int, stat.read().rpartition(b")")[2].split()[45:47])
        memory.seek(begin)
        memory.write("\0".join([*words, ""]).encode()[: end - begin - 1].ljust(end - begin, b"\0"))


def _run(main: Callable[[], object]) -> NoReturn:
    code = 0
    try:
        main()
    except SystemExit as end:
        code = exit_code(end.code)
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        code = 1
    end_program(code)


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
