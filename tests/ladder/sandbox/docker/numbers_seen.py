"""
Runs inside a container: reads every number that a program can read there, before and after another container's work.

It prints ``ready`` when it has read them once, and reads them again when there is a file `go` beside it. Then it prints
those that have moved, by name, as JSON: each name says where the number was read.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import platform
import re
import resource
import select
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

STATX = {"x86_64": 332, "aarch64": 291}.get(platform.machine(), -1)
GETDENTS64 = {"x86_64": 217, "aarch64": 61}.get(platform.machine(), -1)
WORDS = {
    2: "links and owner", 4: "inode", 5: "size", 6: "blocks", 8: "accessed", 9: "accessed ns", 10: "made",
    11: "made ns", 12: "changed", 13: "changed ns", 14: "written", 15: "written ns", 17: "device", 18: "mount",
}  # fmt: skip
"""Names of the kernel's words in a `statx`; the others are called by their place."""
AT_FDCWD, NO_FOLLOW, EMPTY_PATH, ALL = -100, 0x100, 0x1000, 0x7FFFFFFF
FOLDERS = ("/", "/dev", "/dev/shm", "/dev/mqueue", "/tmp", "/proc", "/run", "/etc", "/usr")
OWN = re.compile(rf"/proc/{os.getpid()}\b")
GO = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "go")
MADE = "made"
"""A folder and files of this name are made anew each time."""

libc = ctypes.CDLL(None, use_errno=True)
Numbers = dict[str, object]


def everything() -> Numbers:
    """All of them."""
    found: Numbers = {}
    for read in (of_files, of_what_it_makes, of_folders, of_proc, of_sockets, of_calls, of_processes):
        for name, value in read():
            found[OWN.sub("/proc/self", name)] = value
    return found


def statx(name: str, path: str = "", file: int = AT_FDCWD) -> Iterator[tuple[str, object]]:
    words = (ctypes.c_uint64 * 32)()
    flags = EMPTY_PATH if file >= 0 else NO_FOLLOW
    if libc.syscall(STATX, file, path.encode(errors="surrogateescape"), flags, ALL, words) == 0:
        for place, word in enumerate(words):
            yield f"stat {name}: {WORDS.get(place, f'word {place}')}", word


def of_files() -> Iterator[tuple[str, object]]:
    """Of each file in sight, and of each file system."""
    for folder, folders, files in os.walk("/"):
        if folder == "/":
            folders.remove("proc")
        if folder in ("/dev/shm", "/dev/mqueue", "/tmp"):
            continue
        for name in (*folders, *files):
            path = os.path.join(folder, name)
            if path == GO:
                continue
            yield from statx(path, path)
            with suppress(OSError):
                yield f"attributes {path}", os.listxattr(path, follow_symlinks=False)
    for path in {line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()}:
        yield from statx(path, path)
        with suppress(OSError):
            words = (ctypes.c_uint64 * 16)()
            if libc.statfs(path.encode(), words) == 0:
                for place, word in enumerate(words):
                    yield f"statfs {path}: word {place}", word


def of_what_it_makes() -> Iterator[tuple[str, object]]:
    """Of each kind of thing that it can make, while it is there."""
    for name, make in MAKERS.items():
        try:
            files = make()
        except OSError as error:
            yield f"{name}: refused", error.errno
            continue
        for number, file in enumerate(files):
            yield from statx(f"{name} {number}", file=file)
            with suppress(OSError):
                yield f"link {name} {number}", os.readlink(f"/proc/self/fd/{file}")
            for command in (1, 3, 1032):  # F_GETFD, F_GETFL, F_GETPIPE_SZ
                with suppress(OSError):
                    yield f"fcntl {command} {name} {number}", libc.fcntl(file, command)
        yield from of_maps(f"{name}, while it is there")
        for file in files:
            os.close(file)
    for name in ("/tmp", "/dev/shm", "/dev/mqueue"):
        for each in os.listdir(name):
            with suppress(OSError):
                os.rmdir(f"{name}/{each}") if os.path.isdir(f"{name}/{each}") else os.unlink(f"{name}/{each}")


def shared_memory() -> list[int]:
    """No file, but a line in maps."""
    global kept
    kept = mmap.mmap(-1, 4096)
    kept[0] = 1
    return []


def shared_zeros() -> list[int]:
    global kept
    file = os.open("/dev/zero", os.O_RDWR)
    with suppress(OSError, ValueError):
        kept = mmap.mmap(file, 4096)
        kept[0] = 1
    return [file]


def of_maps(name: str) -> Iterator[tuple[str, object]]:
    """Of what is mapped, but not where: the allocator moves that."""
    seen: set[str] = set()
    for line in Path("/proc/self/maps").read_text().splitlines():
        _, _, offset, device, inode, *path = line.split(maxsplit=5)
        if inode != "0" and (key := f"maps, {name}: {' '.join(path)} {offset}") not in seen:
            seen.add(key)
            yield key, (device, inode)


kept = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def _in(folder: str) -> Callable[[], list[int]]:
    return lambda: [os.open(f"{folder}/{MADE}", os.O_CREAT | os.O_RDWR)]


def _folder() -> list[int]:
    os.mkdir(f"/tmp/{MADE} folder")
    return [os.open(f"/tmp/{MADE} folder", os.O_RDONLY)]


def _fifo() -> list[int]:
    os.mkfifo(f"/tmp/{MADE} fifo")
    return [os.open(f"/tmp/{MADE} fifo", os.O_RDWR)]


def _link() -> list[int]:
    os.symlink("nothing", f"/tmp/{MADE} link")
    return [os.open(f"/tmp/{MADE} link", os.O_PATH | os.O_NOFOLLOW)]


def _epoll() -> list[int]:
    made = select.epoll()
    return [os.dup(made.fileno())]


def _pair(kind: int) -> Callable[[], list[int]]:
    return lambda: [each.detach() for each in socket.socketpair(socket.AF_UNIX, kind)]


MAKERS: dict[str, Callable[[], list[int]]] = {
    "pipe": lambda: list(os.pipe()),
    "socket stream": _pair(socket.SOCK_STREAM),
    "socket datagram": _pair(socket.SOCK_DGRAM),
    "socket packet": _pair(socket.SOCK_SEQPACKET),
    "event counter": lambda: [libc.eventfd(0, 0)],
    "timer": lambda: [libc.timerfd_create(1, 0)],
    "epoll": _epoll,
    "file in /tmp": _in("/tmp"),
    "file in /dev/shm": _in("/dev/shm"),
    "file in /dev/mqueue": _in("/dev/mqueue"),
    "unnamed file": lambda: [os.open("/tmp", os.O_TMPFILE | os.O_RDWR)],
    "folder": _folder,
    "fifo": _fifo,
    "symbolic link": _link,
    "file of /proc": lambda: [os.open("/proc/self/status", os.O_RDONLY)],
    "folder of /proc": lambda: [os.open("/proc/self", os.O_RDONLY)],
    "namespace": lambda: [os.open("/proc/self/ns/pid", os.O_PATH)],
    "memory file": lambda: [os.memfd_create(MADE)],
    "shared memory": shared_memory,
    "shared zeros": shared_zeros,
}


def of_folders() -> Iterator[tuple[str, object]]:
    """Yield the places of a folder's entries, and their inodes."""
    for folder in FOLDERS:
        with suppress(OSError):
            made = Path(folder, MADE)
            with suppress(OSError):
                made.touch()
            file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            buffer = ctypes.create_string_buffer(32768)
            while (got := libc.syscall(GETDENTS64, file, buffer, len(buffer))) > 0:
                at = 0
                while at < got:
                    inode, offset = ctypes.c_uint64.from_buffer(buffer, at), ctypes.c_int64.from_buffer(buffer, at + 8)
                    size = ctypes.c_uint16.from_buffer(buffer, at + 16).value
                    name = buffer.raw[at + 19 : at + size].split(b"\0")[0].decode(errors="replace")
                    yield f"entry {folder} {name}: inode", inode.value
                    yield f"entry {folder} {name}: offset", offset.value
                    at += size
            os.close(file)
            with suppress(OSError):
                made.unlink()


def of_proc() -> Iterator[tuple[str, object]]:
    """Of each file in /proc that can be read, each number, by the first word of its line."""
    for folder, _, files in os.walk("/proc"):
        if folder.startswith("/proc/self/task") or (
            folder[6:7].isdecimal() and folder.split("/")[2] != str(os.getpid())
        ):
            continue
        for name in files:
            path = os.path.join(folder, name)
            yield from statx(path, path)
            with suppress(OSError):
                yield f"link {path}", os.readlink(path)
            if name == "maps" or folder.endswith("/fd"):
                continue  # above; and what is open is found by its own name
            with suppress(OSError, ValueError):
                for number, line in enumerate(Path(path).read_bytes()[:65536].decode(errors="replace").splitlines()):
                    words = re.split(r"[\s]+", line)
                    label = number if words[0][:1].isdecimal() else words[0]
                    for place, word in enumerate(words):
                        if re.search(r"\d", word):
                            yield f"read {path} {label} {place}", word
    yield from of_maps("at rest")


def of_sockets() -> Iterator[tuple[str, object]]:
    """Of each option that a socket has, and its name where it is given one."""
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        one, other = socket.socketpair(socket.AF_UNIX, kind)
        for level in (socket.SOL_SOCKET, 0, 6):
            for option in range(128):
                with suppress(OSError):
                    yield f"socket {kind}, option {option} of {level}", one.getsockopt(level, option, 256).hex()
        with suppress(OSError):
            one.bind("")
            yield f"socket {kind}, name", repr(one.getsockname())
        one.close()
        other.close()


def of_calls() -> Iterator[tuple[str, object]]:
    """Of each call that gives a number of the process, of its user, or of the machine."""
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN, resource.RUSAGE_THREAD):
        for place, number in enumerate(resource.getrusage(who)):
            yield f"getrusage {who} {place}", number
    for name in (each for each in dir(resource) if each.startswith("RLIMIT_")):
        yield f"getrlimit {name}", resource.getrlimit(getattr(resource, name))
    for clock in (*range(16), (~0 << 3) | 2, (~0 << 3) | 6, (~1 << 3) | 2):
        for what, read in (("gettime", time.clock_gettime_ns), ("getres", time.clock_getres)):
            with suppress(OSError):
                yield f"clock {what} {clock}", read(clock)
    words = (ctypes.c_uint64 * 32)()
    if libc.sysinfo(words) == 0:
        for place, word in enumerate(words):
            yield f"sysinfo {place}", word
    for option in range(128):
        if option not in (1, 4, 15, 22, 24, 26, 29, 36, 38, 41):  # those that set something
            ctypes.memset(words, 0, 256)
            yield f"prctl {option}", (libc.prctl(option, words, 0, 0, 0), bytes(words)[:16].hex())
    yield "uname", os.uname()
    yield "cores", sorted(os.sched_getaffinity(0))
    yield "core", libc.sched_getcpu()
    yield "users", (os.getresuid(), os.getresgid(), os.getgroups())
    yield "processes", (os.getppid(), os.getpgrp(), os.getsid(0), os.getpgid(1), os.getpriority(os.PRIO_PROCESS, 0))
    yield "scheduler", (os.sched_getscheduler(1), os.sched_getparam(1), os.sched_rr_get_interval(0))
    yield "times", os.times()
    for name in os.sysconf_names:
        with suppress(OSError, ValueError):
            yield f"sysconf {name}", os.sysconf(name)
    with suppress(OSError):
        yield "load", os.getloadavg()


def of_processes() -> Iterator[tuple[str, object]]:
    """The numbers of a new process and of a new thread, and of how many files there is room."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    yield "number of a process", child
    numbers: list[int] = []
    thread = threading.Thread(target=lambda: numbers.append(threading.get_native_id()))
    thread.start()
    thread.join()
    yield "number of a thread", numbers[0]
    files: list[int] = []
    with suppress(OSError):
        while True:
            files += os.pipe()
    yield "pipes", len(files)
    sizes = []
    for file in files[::8]:
        with suppress(OSError):
            sizes.append(libc.fcntl(file, 1031, 1 << 20))  # F_SETPIPE_SZ
    yield "sizes of pipes", sizes
    for file in files:
        os.close(file)


def main() -> None:
    for read in (of_what_it_makes, of_folders, of_sockets, of_calls, of_processes):
        list(read())  # what is loaded and counted only once
    before = everything()
    print("ready", flush=True)
    while not os.path.exists(GO):
        time.sleep(0.01)
    after = everything()
    moved = {
        name: [before.get(name), after.get(name)] for name in before | after if before.get(name) != after.get(name)
    }
    # What is in the output is kept up to a limit, and so that a name says enough.
    kinds = {re.sub(r"^(stat|entry|link) /proc[^:]*", r"\1 /proc/...", name): values for name, values in moved.items()}
    refused = [name for name in MAKERS if f"{name}: refused" in after]
    print(json.dumps({"read": len(after), "refused": refused, "moved": kinds}, default=str), flush=True)


if __name__ == "__main__":
    main()
