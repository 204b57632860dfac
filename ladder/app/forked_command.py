"""A command that runs in a process forked from this one, with which it shares the memory of all imported modules."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from ladder.sandbox.fork_server import end_program, exit_code

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

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
