"""
The first process of a warm container: it forks a fresh process for each instance of a bot, and cleans up after it.

It runs inside the container, on the Python of the bot base image, and nothing of a bot runs in it: only its children
take the bot's folder onto their path. It has imported what every bot imports; to fork that costs a fraction of starting
it anew (docs/adr/0017-warm-containers.md). It takes commands of one byte from the socket `control.sock` in
`/run/pigpen`:

    s   start: fork an instance, whose seat is the folder `/run/pigpen/seat`; nothing is answered
    c   clear: kill all that runs, empty every folder that can be written, and answer as below

It is root without most of root's rights (limits.py), and its instances are of another user: nothing that an instance
calls with the number of this process reaches it.

It says ``ready`` once it takes commands, or ``failed REASON``; ``ended STATUS`` when an instance has ended, with the
wait status of its first process; and ``cleared`` or ``unclear REASON`` when it has done that.

`run_as_program` is also what the process sandbox runs in the bots that it forks.
"""

from __future__ import annotations

import atexit
import builtins
import contextlib
import ctypes
import gc
import importlib
import json
import os
import platform
import random
import resource
import select
import signal
import socket
import stat
import struct
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from typing import NoReturn

FOLDER = "/run/pigpen"
SEAT = f"{FOLDER}/seat"
WRITABLE = [folder for folder in ("/tmp", "/dev/shm", "/dev/mqueue") if os.path.isdir(folder)]
"""Every folder in a container that a bot can write to; gVisor has no message queues."""
COUNTED = WRITABLE[:2]
"""
Folders whose file system numbers its files one by one, and the entries of a folder: a new name has the next number,
that of a renamed file, too. /dev/mqueue takes the numbers of the whole machine.
"""
MAX_STEPS = 64
"""
The next file, and the next process or thread, has the next number: an instance that makes n of them tells n to the
next instance. So a container in which an instance has made more than this is removed. After an instance that has made
fewer, the server makes as many itself as are missing to `FEW_FILES` and `FEW_PROCESSES`, or, if it has made more of
any, to this number of all. The next instance sees only which of the two it was. Names are counted and made in the same
way.
"""
FEW_FILES, FEW_PROCESSES = 4, 16
"""Numbers that ordinary bots stay below: one in Python has up to 10 processes and threads, and makes no file."""
REAPED_AT_ONCE = 64
"""Processes that have ended, of which the server takes no more before it looks for commands again."""
CLONE_VM, CLONE_VFORK, WAIT_ALL = 0x100, 0x4000, 0x40000000
SOCKET_SECONDS = 60.0
"""
Seconds that the kernel may take to collect sockets that only they themselves hold, and the referee, which may stand
still, to close its ends of connections. The host gives up sooner, and removes the container; where it has ended, too,
this ends the wait.
"""
PR_SET_DUMPABLE = 4
M_ARENA_MAX = -8
PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
SOCKET_CALL = {"x86_64": 41, "aarch64": 198}
KEPT_CALLS = {"x86_64": (29, 64, 68, 240), "aarch64": (194, 190, 186, 180)}
"""shmget, semget, msgget and mq_open: what they make outlives the processes, in no folder."""
CANNOT_CONFINE, NO_LOG = 124, 125
"""Exit codes of an instance that was not started; the launcher has the same."""
libc = ctypes.CDLL(None, use_errno=True)
libc.opendir.restype = ctypes.c_void_p
libc.readdir.argtypes = libc.closedir.argtypes = [ctypes.c_void_p]
LIMITS = [getattr(resource, name) for name in sorted(dir(resource)) if name.startswith("RLIMIT_")]


def serve(control: socket.socket, user: int) -> bool:
    """Take commands until the other end is closed; True in the process that is to become an instance, of *user*."""
    allowed, state = os.sched_getaffinity(0), _state()
    woken, wake = socket.socketpair()
    for end in (woken, wake):
        end.setblocking(False)
    signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    instance, counters, sockets = 0, _counters(), _sockets()
    control.sendall(b"ready\n")
    ended: list[tuple[int, int]] = []
    while True:
        select.select([control, woken], [], [], 0 if len(ended) == REAPED_AT_ONCE else None)
        with contextlib.suppress(BlockingIOError):
            woken.recv(4096)
        ended = _reap()
        for pid, status in ended:
            if pid == instance:
                with _acting_as(user):
                    _end_all()  # as in a container of its own, which ends with its program
                control.sendall(b"ended %d\n" % status)
        command = _command(control)
        if command == b"s":
            # A bot can change neither; what differs is what the host did meanwhile.
            os.sched_setaffinity(0, allowed)
            for folder in WRITABLE:
                os.utime(folder)  # its times show nothing of earlier instances
            instance = os.fork()
            if instance == 0:
                return True
        elif command == b"c":
            control.sendall(_clear(user, state, counters, sockets).encode() + b"\n")
        elif command == b"":
            return False


def _command(control: socket.socket) -> bytes | None:
    """Read the next command; None if there is none now, empty if there will be none."""
    return control.recv(1) if select.select([control], [], [], 0)[0] else None


def _reap() -> list[tuple[int, int]]:
    """Take what has ended, orphans too: their number and wait status. Processes that fork without end leave some."""
    found: list[tuple[int, int]] = []
    with contextlib.suppress(ChildProcessError):
        while len(found) < REAPED_AT_ONCE and (ended := os.waitpid(-1, os.WNOHANG))[0]:
            found.append(ended)
    return found


@contextlib.contextmanager
def _acting_as(user: int) -> Iterator[None]:
    """
    Have the rights of *user*, to end its processes and to remove its files: this root has none there.

    Its processes are the first to go. While they last, this process's own number is still not theirs to change: that
    would take its real and its saved user, too.
    """
    os.seteuid(user)
    try:
        yield
    finally:
        os.seteuid(0)


def _end_all() -> None:
    """Kill all processes but this one: Linux does it in one go; what forks in gVisor meanwhile dies the next time."""
    with contextlib.suppress(ChildProcessError):
        while True:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
            os.waitpid(-1, 0)
            _reap()


def _state() -> list[object]:
    """Read what a process inside could change of this one by calls with a process number; children inherit it."""
    return [[resource.getrlimit(limit) for limit in LIMITS], os.getpriority(os.PRIO_PROCESS, 0), os.getpgrp()]


def _counters() -> list[int]:
    """Read the numbers that a new file and its name get in each folder, and that of a new process."""
    return [number for folder in COUNTED for number in _numbers_of_a_file(folder)] + [_number_of_a_process()]


def _numbers_of_a_file(folder: str) -> tuple[int, int]:
    """Make a file and remove it; the numbers that it and its name had."""
    path = f"{folder}/{os.getpid()}"
    number = os.fstat(file := os.open(path, os.O_CREAT | os.O_WRONLY | os.O_EXCL)).st_ino
    os.close(file)
    name = _offset_of_the_name(folder)
    os.unlink(path)
    return number, name


class _Entry(ctypes.Structure):
    """Fields of a `readdir` entry, up to the name."""

    _fields_ = (("inode", ctypes.c_uint64), ("next", ctypes.c_int64))


libc.readdir.restype = ctypes.POINTER(_Entry)


def _offset_of_the_name(folder: str) -> int:
    """Give the offset of a folder's one entry, which the entry before it, `..`, has as the next one."""
    opened = libc.opendir(folder.encode())
    if not opened:
        raise OSError(ctypes.get_errno(), "opendir")
    libc.readdir(opened)
    offset = int(libc.readdir(opened).contents.next)
    libc.closedir(opened)
    return offset


def _number_of_a_process() -> int:
    """
    Start a process that ends at once; its number.

    It shares the memory of this one, which waits for it, and runs nothing but `_exit`: in gVisor that takes a tenth of
    the time of a program that does not exist, and less of that of a fork.

    Raises:
        OSError: If there can be no more processes.
    """
    stack = ctypes.create_string_buffer(1 << 14)
    top = (ctypes.addressof(stack) + len(stack)) & ~15
    clone = libc.clone
    clone.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p]
    number = int(clone(ctypes.cast(libc._exit, ctypes.c_void_p), top, CLONE_VM | CLONE_VFORK, None))
    if number < 0:
        raise OSError(ctypes.get_errno(), "clone")
    os.waitpid(number, WAIT_ALL)
    return number


def _go_further(steps: list[int]) -> None:
    """Make the files, names and processes that are missing, after an instance that has made *steps* of them."""
    *of_files, processes = steps
    is_few = max(of_files) <= FEW_FILES and processes <= FEW_PROCESSES
    all_files, all_processes = (FEW_FILES, FEW_PROCESSES) if is_few else (MAX_STEPS, MAX_STEPS)
    for folder, files, names in zip(COUNTED, of_files[::2], of_files[1::2], strict=True):
        for _ in range(all_files - files):
            _use_numbers(folder)
        # Each of those has taken a name, too: there are twice as many in all.
        _use_numbers(folder, renamings=all_files - names + files)
    for _ in range(all_processes - processes):
        _number_of_a_process()


def _use_numbers(folder: str, renamings: int = 0) -> None:
    """Make a file, rename it *renamings* times, and remove it, without looking its numbers up."""
    path, other = f"{folder}/{os.getpid()}", f"{folder}/{os.getpid()}-"
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_EXCL))
    for _ in range(renamings):
        os.rename(path, other)
        path, other = other, path
    os.unlink(path)


def _sockets() -> int:
    """
    Count the Unix sockets of the container, and the ends of their connections outside of it.

    One that was sent over itself outlives its process for a while.
    """
    with open("/proc/net/unix", "rb") as file:
        return file.read().count(b"\n")


def _clear(user: int, state: list[object], counters: list[int], sockets: int) -> str:
    """
    Restore the container as it was before the instance; give what could not be: the container is then removed.

    The numbers that the next file, name and process get are put into *counters*, for the next time.
    """
    try:
        with _acting_as(user):
            _end_all()
            for folder in WRITABLE:
                _empty(folder)
        deadline = time.monotonic() + SOCKET_SECONDS
        while _sockets() > sockets:
            if time.monotonic() > deadline:
                return "unclear sockets are left"
            time.sleep(0.001)
        others = [name for name in os.listdir("/proc") if name.isdecimal() and name != str(os.getpid())]
    except OSError as error:
        return f"unclear {error}"
    if others:
        return f"unclear {len(others)} processes are left"
    if _state() != state:
        return "unclear limits have been changed"
    try:
        steps = [now - before for now, before in zip(_counters(), counters, strict=True)]
        if not all(0 <= each <= MAX_STEPS for each in steps):
            return f"unclear {max(steps)} numbers were used"
        _go_further(steps)
        counters[:] = _counters()
    except OSError as error:
        return f"unclear {error}"
    return "cleared"


def _empty(folder: str) -> None:
    """Empty a folder. What lies deep is moved up first: neither a path nor a descriptor for each level is needed."""
    moved = 0
    while names := os.listdir(folder):
        for name in names:
            path = os.path.join(folder, name)
            if not stat.S_ISDIR(os.lstat(path).st_mode):
                os.unlink(path)
                continue
            os.chmod(path, 0o700)
            for inner in os.listdir(path):
                deep = os.path.join(path, inner)
                if stat.S_ISDIR(os.lstat(deep).st_mode):
                    os.chmod(deep, 0o700)  # a folder that may not be written to cannot be moved
                    moved += 1
                    os.rename(deep, os.path.join(folder, f"{os.getpid()}-{moved}-{len(names)}"))
                else:
                    os.unlink(deep)
            os.rmdir(path)


def refuse_what_a_kernel_keeps() -> bool:
    """
    Refuse this process, and all that it starts, what a kernel of the container's own keeps when processes have ended.

    That is System V's shared memory, semaphores and queues, POSIX's queues, and the ports and counters of the network.
    On the host's kernel the engine's list of system calls refuses it; gVisor does not read that list.
    """
    load, equal, answer = 0x20, 0x15, 0x06
    allowed, refused, no_family = 0x7FFF0000, 0x00050000 | 1, 0x00050000 | 97  # EPERM, EAFNOSUPPORT
    machine = platform.machine()
    steps = [(load, 0, 0, 0)]
    for call in KEPT_CALLS[machine]:
        steps += [(equal, 0, 1, call), (answer, 0, 0, refused)]
    steps += [(equal, 0, 3, SOCKET_CALL[machine]), (load, 0, 0, 16), (equal, 1, 0, socket.AF_UNIX)]
    steps += [(answer, 0, 0, no_family), (answer, 0, 0, allowed)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("HP", len(steps), ctypes.addressof(code)))
    return bool(ctypes.CDLL(None).prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0) == 0)


def become_instance(user: int, confine: Callable[[int], int], command: list[str], path: list[str]) -> NoReturn:
    """
    Run a bot's main file in this process, as ``python FILE ARGUMENT...`` does, and end.

    Args:
        user: Whose it is from now on.
        confine: Makes this process a user's, and confines it; 0 if it could not.
        command: The file and its arguments.
        path: Where modules are found beside the file's folder, before those of the base image.
    """
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.closerange(3, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    if not _take_log_socket():
        os._exit(NO_LOG)
    with open("/proc/self/oom_score_adj", "wb", buffering=0) as file:  # no codec is imported for it in each instance
        file.write(b"500")  # for want of memory the kernel ends an instance before the server
    if not confine(user):
        os._exit(CANNOT_CONFINE)
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
    with open(f"{SEAT}/environment.json", encoding="utf-8") as file:
        os.environ.update(json.load(file), PYTHONPATH=":".join(path))
    run_as_program(command, path)


def run_as_program(command: list[str], path: list[str]) -> NoReturn:
    """
    Run a main file in this process, which was forked, as ``python FILE ARGUMENT...`` does, and end.

    Args:
        command: The file and its arguments.
        path: Where modules are found beside the file's folder, before those that are installed.
    """
    random.seed()
    sys.argv[:] = command
    sys.path[:0] = [os.path.dirname(os.path.abspath(command[0])), *path]
    end_program(_run(command[0]))


def end_program(code: int) -> NoReturn:
    """End a process that was forked as an interpreter ends, without the time that taking it apart takes."""
    try:
        threading._shutdown()  # type: ignore[attr-defined]
    except BaseException as error:  # does not change the exit code: such as that of an executor that was just closed
        print(f"Exception ignored in: {threading!r}", file=sys.stderr)
        _show(error)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


def _take_log_socket() -> bool:
    with contextlib.suppress(FileNotFoundError):
        if not os.stat(f"{SEAT}/seat.sock").st_mode & stat.S_IWOTH:
            return False  # no bot is to blame for a seat that it may not connect to
    log = socket.socket(socket.AF_UNIX)
    try:
        log.connect(f"{SEAT}/log.sock")
    except OSError:
        return False
    os.dup2(log.fileno(), 1)
    os.dup2(log.fileno(), 2)
    log.close()
    return True


def _run(file: str) -> int:
    """Run the bot's main module; the exit code."""
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=os.path.abspath(file), __builtins__=builtins)
    sys.modules["__main__"] = main
    try:
        with open(file, "rb") as source:
            text = source.read()
    except OSError as error:
        print(f"python: can't open file {os.path.abspath(file)!r}: {error}", file=sys.stderr)
        return 2
    try:
        exec(compile(text, main.__file__ or file, "exec", dont_inherit=True), main.__dict__)
    except SystemExit as end:
        return exit_code(end.code)
    except BaseException as error:
        _show(error)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _show(error: BaseException) -> None:
    """Print what a function here has caught; its own frame is not the bot's business."""
    own = error.__traceback__
    shown = error.with_traceback(own.tb_next if own else None)
    sys.excepthook(type(shown), shown, shown.__traceback__)


def exit_code(code: object) -> int:
    """Give the exit code of a program that calls `sys.exit` with *code*, which is printed if it is a text."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 255
    print(code, file=sys.stderr)
    return 1


def import_what_bots_import() -> None:
    """Import what instances need before any is forked."""
    for name in ("asyncio", "pigpen.client", "pigpen.search"):
        with contextlib.suppress(ImportError):  # the base of an older image may have other modules
            importlib.import_module(name)
    gc.collect()
    gc.freeze()


def main() -> None:
    """Serve; every instance leaves `serve` as a process of its own."""
    control = socket.socket(socket.AF_UNIX)
    control.connect(f"{FOLDER}/control.sock")
    try:
        nothing = os.open("/dev/null", os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)  # no process here keeps the engine's pipes (docs/adr/0004)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # which the first process of a container does not get from inside
        path = [each for each in os.environ.pop("PIGPEN_PATH", "").split(":") if each]
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)  # nothing inside looks into this process
        confine = ctypes.CDLL(f"{FOLDER}/confine").pigpen_confine
        has_own_kernel = os.environ.pop("PIGPEN_OWN_KERNEL", "") == "1"
        with contextlib.suppress(AttributeError):  # a C library without it has one heap
            libc.mallopt(M_ARENA_MAX, 1)  # the threads of an instance, most of them gRPC's, map none of their own
        import_what_bots_import()
        user = int(os.environ.pop("PIGPEN_USER"))
        is_instance = serve(control, user)
    except Exception as error:
        control.sendall(f"failed {type(error).__name__}: {error}\n".encode())
        raise
    if is_instance:
        control.detach()  # closed with all others
        become_instance(
            user,
            lambda user: confine(user) and (not has_own_kernel or refuse_what_a_kernel_keeps()),
            sys.argv[1:],
            path,
        )


if __name__ == "__main__":
    main()
