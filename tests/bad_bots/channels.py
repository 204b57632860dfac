"""
State of the kernel and of the processor that containers share, as ways to pass bits from one to another.

Runs inside containers, of bad bots and of `benchmarks/notes.py`. Each way has `send`, and `receive`, which gives one
score for each bit: the higher, the more likely it is a one. A way that is closed raises OSError.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import mmap
import os
import platform
import resource
import signal
import socket
import statistics
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar, Protocol

PAGE = 4096
PAGES = Path("/pages")
"""A large file in the image of each bot that uses this module."""
AREA = 1024
"""Pages of it that one note takes."""
MAPPED = PAGES if PAGES.exists() else Path(sys.executable)
"""A file that can be mapped in every image with Python."""
LAUNCHERS = ("/run/pigpen-init", "/run/pigpen/launcher", "/run/pigpen/fork_server.py")
LAUNCHER = next((each for each in LAUNCHERS if os.path.exists(each)), LAUNCHERS[-1])
"""The program that starts the bot: once one file for all containers, now a copy for each."""

libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"
MADVISE, MINCORE, FUTEX = (28, 27, 202) if X86 else (233, 232, 98)
PAGEOUT, RANDOM = 21, 1


class Channel(Protocol):
    """A way to pass bits."""

    def send(self, bits: Sequence[int]) -> None:
        """Set the shared state."""

    def receive(self, count: int) -> list[float]:
        """Read *count* bits from it."""


def call(number: int, *words: int) -> int:
    """
    Make a system call.

    Raises:
        OSError: If it fails.
    """
    padded = [ctypes.c_long(word) for word in (*words, *[0] * (6 - len(words)))]
    result = int(libc.syscall(ctypes.c_long(number), *padded))
    if result < 0:
        raise OSError(ctypes.get_errno(), f"system call {number}")
    return result


class Mapping:
    """A file, mapped for reading; without a file, memory that was never written: the kernel's one page of zeros."""

    def __init__(self, path: Path | str | None = PAGES, offset: int = 0, length: int = 0) -> None:
        self.length = length or (os.stat(path).st_size if path else PAGE)
        descriptor = os.open(path, os.O_RDONLY) if path else -1
        flags = 1 if path else 0x22  # shared; or private and anonymous
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
        self.start = int(libc.mmap(None, self.length, 1, flags, descriptor, offset) or -1)
        if path:
            os.close(descriptor)

    def touch(self, offset: int) -> int:
        """Read the byte at *offset*."""
        return ctypes.c_ubyte.from_address(self.start + offset).value

    def close(self) -> None:
        """Unmap it; harmless twice."""
        if self.start > 0:
            libc.munmap(ctypes.c_void_p(self.start), ctypes.c_size_t(self.length))
            self.start = 0

    def __del__(self) -> None:
        self.close()


# Notes: what stays when the writer's container has gone.


class Pages:
    """Pages of a file that are in memory; read by timing reads."""

    APART = 2
    """Pages from one to the next, so that no page is read ahead with another."""
    COPIES = 3

    def __init__(self, area: int = 0) -> None:
        self._first = area * AREA + 1  # the first page of a file is read with those after it
        self._file = os.open(PAGES, os.O_RDONLY)

    def __del__(self) -> None:
        os.close(self._file)

    def send(self, bits: Sequence[int]) -> None:
        length = AREA * PAGE
        try:
            os.posix_fadvise(self._file, self._first * PAGE, length, os.POSIX_FADV_DONTNEED)
        except OSError:  # what still may work: pages that are not in memory can be read into it
            with suppress(OSError):
                call(MADVISE, Mapping(PAGES).start + self._first * PAGE, length, PAGEOUT)
        for page in (page for bit, is_set in enumerate(bits) if is_set for page in self._pages(bit)):
            os.pread(self._file, 1, page * PAGE)

    def receive(self, count: int) -> list[float]:
        return [statistics.median(map(self._score, self._pages(bit))) for bit in range(count)]

    def _pages(self, bit: int) -> Iterator[int]:
        return (self._first + self.APART * (self.COPIES * bit + copy) for copy in range(self.COPIES))

    def _score(self, page: int) -> float:
        began = time.perf_counter_ns()
        os.pread(self._file, 1, page * PAGE)
        return began - time.perf_counter_ns()


class PagesByMincore(Pages):
    """The same; read by asking."""

    def __init__(self, area: int = 0) -> None:
        super().__init__(area)
        self._mapping = Mapping(PAGES)

    def _score(self, page: int) -> float:
        answer = ctypes.create_string_buffer(1)
        call(MINCORE, self._mapping.start + page * PAGE, PAGE, ctypes.addressof(answer))
        return answer.raw[0] & 1


class PagesByFaults(PagesByMincore):
    """The same; read by counting the faults that had to wait for the disk."""

    def __init__(self, area: int = 0) -> None:
        super().__init__(area)
        call(MADVISE, self._mapping.start, self._mapping.length, RANDOM)

    def _score(self, page: int) -> float:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
        self._mapping.touch(page * PAGE)
        return before - resource.getrusage(resource.RUSAGE_SELF).ru_majflt


class Names:
    """
    Names that were looked for, in vain, in folders of the image; read by timing the search.

    Each time other names are taken: those that were read have been looked for, too.
    """

    NAMES = 40
    """For each bit."""
    PREFIX: ClassVar = ""
    """A word that both sides agree on, so that the names are new in each run."""

    def __init__(self, area: int = 0) -> None:
        self._area = area

    def send(self, bits: Sequence[int]) -> None:
        for bit in (bit for bit, is_set in enumerate(bits) if is_set):
            for number in range(self.NAMES):
                self._seek(self._name(bit, number))
        self._area += 1

    def receive(self, count: int) -> list[float]:
        for name in range(100):  # what is done for the first time takes longer
            self._seek(f"/usr/lib/first-{name}-{time.monotonic_ns()}")
        times: list[list[int]] = [[] for _ in range(count)]
        for number in range(self.NAMES):  # what slows a moment down is to slow all bits down
            for bit, taken in enumerate(times):
                taken.append(self._seek(self._name(bit, number)))
        self._area += 1
        return [-statistics.median(taken) for taken in times]

    def _name(self, bit: int, number: int) -> str:
        return f"/usr/lib/{self.PREFIX}-{self._area}-{bit}-{number}"

    def _seek(self, name: str) -> int:
        began = time.perf_counter_ns()
        os.access(name, os.F_OK)
        return time.perf_counter_ns() - began


class Lines:
    """
    Lines of a shared page that are in the processor's cache; read by timing them.

    The page is one of a file, the zero page, or of the kernel's own library in each process.
    """

    LINE = 64
    FLUSH = bytes.fromhex("0fae3f 0faef0 c3")
    TIME = bytes.fromhex("0faef0 0faee8 0f31 48c1e220 4809d0 4889c6 0faee8 8b0f 0faee8 0f31 48c1e220 4809d0 4829f0 c3")
    """x86_64: flush the line at an address; read it and give the processor's cycles that took."""
    COPIES = 4

    def __init__(self, area: int = 0, path: Path | None = PAGES) -> None:
        if not X86:
            raise OSError(errno.ENOSYS, "x86_64 only")
        self._mapping = Mapping(path)
        self._spread = PAGE + self.LINE if path else 2 * self.LINE
        self._first = area * AREA * PAGE if path else 0
        self._code = mmap.mmap(-1, PAGE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        self._code.write(self.FLUSH.ljust(64, b"\xcc") + self.TIME)
        where = ctypes.addressof(ctypes.c_char.from_buffer(self._code))
        self._flush = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(where)
        self._time = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)(where + 64)

    def send(self, bits: Sequence[int]) -> None:
        for bit, is_set in enumerate(bits):
            for address in self._addresses(bit):
                self._time(address) if is_set else self._flush(address)

    def clear(self, count: int) -> None:
        """Take all lines out of the cache."""
        self.send([0] * count)

    def receive(self, count: int) -> list[float]:
        order = sorted(range(count), key=lambda bit: bit * 2654435761 % 2**32)  # that nothing is fetched ahead
        times = {bit: statistics.median(map(self._time, self._addresses(bit))) for bit in order}
        return [-times[bit] for bit in range(count)]

    def _addresses(self, bit: int) -> list[int]:
        numbers = range(self.COPIES * bit, self.COPIES * (bit + 1))
        return [self._mapping.start + self._first + self._spread * number for number in numbers]


# Hands: what two living containers share.


class Locks:
    """Locks on the bytes of a file that both may open."""

    def __init__(self, path: str = LAUNCHER) -> None:
        self._file = os.open(path, os.O_RDONLY)

    def send(self, bits: Sequence[int]) -> None:
        for byte, is_set in enumerate(bits):
            fcntl.fcntl(self._file, fcntl.F_SETLK, self._lock(fcntl.F_RDLCK if is_set else fcntl.F_UNLCK, byte))

    def receive(self, count: int) -> list[float]:
        return [self._is_locked(byte) for byte in range(count)]

    def _is_locked(self, byte: int) -> bool:
        found = fcntl.fcntl(self._file, fcntl.F_GETLK, self._lock(fcntl.F_WRLCK, byte))
        return bool(struct.unpack_from("hh", found)[0] != fcntl.F_UNLCK)

    @staticmethod
    def _lock(kind: int, byte: int) -> bytes:
        return struct.pack("hhqqi4x", kind, os.SEEK_SET, byte, 1, 0)


class Futexes:
    """Threads that wait at an address in a page of a file; waking them says how many there were."""

    WAIT, WAKE = 0, 1

    def __init__(self) -> None:
        self._mapping = Mapping(MAPPED)

    def send(self, bits: Sequence[int]) -> None:
        self.receive(len(bits))
        failures: list[OSError] = []
        for word in (word for word, is_set in enumerate(bits) if is_set):
            threading.Thread(target=self._wait, args=[word, failures], daemon=True).start()
        time.sleep(0.005)
        if failures:
            raise failures[0]

    def receive(self, count: int) -> list[float]:
        return [call(FUTEX, self._mapping.start + 4 * word, self.WAKE, 64) for word in range(count)]

    def _wait(self, word: int, failures: list[OSError]) -> None:
        address = self._mapping.start + 4 * word
        value = ctypes.c_int.from_address(address).value
        try:
            call(FUTEX, address, self.WAIT, value, 0)
        except OSError as error:
            failures.append(error)


class ThreadsEnds(Futexes):
    """The same the other way round: a thread's end wakes a thread that waits at the word that the first one named."""

    def send(self, bits: Sequence[int]) -> None:
        for word in (word for word, is_set in enumerate(bits) if is_set):
            threading.Thread(target=self._end_at, args=[word], daemon=True).start()
            time.sleep(0.002)

    def receive(self, count: int) -> list[float]:
        woken = [0.0] * count
        threads = [threading.Thread(target=self._sleep, args=[word, woken]) for word in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return woken

    def _sleep(self, word: int, woken: list[float]) -> None:
        address = self._mapping.start + 4 * word
        limit = ctypes.create_string_buffer(struct.pack("qq", 0, 300_000_000))
        value = ctypes.c_int.from_address(address).value
        with suppress(OSError):
            woken[word] = 1 - call(FUTEX, address, self.WAIT, value, ctypes.addressof(limit))

    def _end_at(self, word: int) -> None:
        call(218 if X86 else 96, self._mapping.start + 4 * word)  # set_tid_address
        call(60 if X86 else 93, 0)  # exit, of this thread only


class MapCounts:
    """Pages of a file that another process has mapped, from the share of a page that /proc/self/smaps tells."""

    APART = 16
    """Pages from one to the next; the kernel maps 16 at once."""

    def __init__(self) -> None:
        self._mapped: list[Mapping] = []

    def send(self, bits: Sequence[int]) -> None:
        for mapping in self._mapped:
            mapping.close()
        self._mapped = [self._map(bit) for bit, is_set in enumerate(bits) if is_set]

    def receive(self, count: int) -> list[float]:
        mappings = [self._map(bit) for bit in range(count)]
        shares = self._shares()
        scores = [-float(shares[mapping.start]) for mapping in mappings]
        for mapping in mappings:
            mapping.close()
        return scores

    def _map(self, bit: int) -> Mapping:
        mapping = Mapping(MAPPED, bit * self.APART * PAGE, PAGE)
        mapping.touch(0)
        return mapping

    @staticmethod
    def _shares() -> dict[int, int]:
        shares, start = {}, 0
        for line in Path("/proc/self/smaps").read_text().splitlines():
            head = line.split(maxsplit=1)[0]
            if not head.endswith(":"):
                start = int(head.partition("-")[0], 16)
            elif head == "Pss:":
                shares[start] = int(line.split()[1])
        return shares


class Counter:
    """A number that the kernel counts up for everybody: the writer takes some, the reader sees how far it has come."""

    def __init__(self, take: Callable[[], int], *, unit: int = 1) -> None:
        self._take = take
        self._unit = unit
        self._last: int | None = None

    def send(self, bits: Sequence[int]) -> None:
        for _ in range(self._unit * number(bits)):
            self._take()

    def clear(self, count: int) -> None:
        """Note where it stands."""
        del count
        self._last = self._take()

    def receive(self, count: int) -> list[float]:
        before = self._take() if self._last is None else self._last
        return digits((self._take() - before - 1) // self._unit, count)


def inode() -> int:
    """The number of a new pipe."""
    reader, writer = os.pipe()
    try:
        return os.fstat(reader).st_ino
    finally:
        os.close(reader)
        os.close(writer)


def cookie() -> int:
    """Read the number that the kernel gives to a new socket."""
    with socket.socket(socket.AF_UNIX) as new:
        return int(struct.unpack("Q", new.getsockopt(socket.SOL_SOCKET, 57, 8))[0])


def process() -> int:
    """The number of a new process among all of the host."""
    child = os.fork()
    if child == 0:
        signal.pause()
    try:
        descriptor = os.pidfd_open(child)
        try:
            return os.fstat(descriptor).st_ino
        finally:
            os.close(descriptor)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


class Level:
    """A number that /proc tells of the whole host: the writer raises it, the reader sees by how much."""

    def __init__(self, read: Callable[[], float], unit: float, hold: Callable[[int], None]) -> None:
        self._read = read
        self._unit = unit
        self._hold = hold
        self._last = 0.0

    def send(self, bits: Sequence[int]) -> None:
        self._hold(number(bits))

    def clear(self, count: int) -> None:
        """Note where it stands; the writer holds nothing now."""
        del count
        self._last = self._read()

    def receive(self, count: int) -> list[float]:
        return digits(round((self._read() - self._last) / self._unit), count)


def shared_memory(units: int) -> None:
    """Keep *units* MiB of files in memory."""
    Path("/dev/shm/held").write_bytes(bytes(units << 20))


def processes_of_host() -> float:
    """Give the number of processes by the links of /proc, of all containers and the host itself."""
    return float(os.stat("/proc").st_nlink)


def hold_processes(count: int) -> None:
    """Have *count* child processes that only wait."""
    while len(_held) > count:
        child = _held.pop()
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    while len(_held) < count:
        child = os.fork()
        if child == 0:
            signal.pause()
        _held.append(child)


_held: list[int] = []


def meminfo(key: str = "Shmem") -> float:
    """Bytes, as /proc/meminfo has them."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == key:
            return 1024.0 * int(value.split()[0])
    raise OSError(errno.ENOENT, f"no {key} in /proc/meminfo")


def sysinfo() -> float:
    """Give the bytes of shared memory that the kernel tells of."""
    words = (ctypes.c_ulong * 16)()
    if libc.sysinfo(words) < 0:
        raise OSError(ctypes.get_errno(), "sysinfo")
    return float(words[6])


class Terminals:
    """Number of pseudo terminals left on the host: the writer has some open, the reader opens all it can get."""

    EACH = 200
    """Number that one process opens, within its limit on files."""

    def __init__(self) -> None:
        self._held: list[int] = []
        self._most = 0

    def send(self, bits: Sequence[int]) -> None:
        self._release()
        self._open(number(bits) * 4)

    def clear(self, count: int) -> None:
        """Note how many there are; the writer holds none now."""
        del count
        self._most = self._all()

    def receive(self, count: int) -> list[float]:
        return digits(round((self._most - self._all()) / 4), count)

    def _all(self) -> int:
        try:
            return self._open(10_000)
        finally:
            self._release()

    def _open(self, wanted: int) -> int:
        """Open *wanted* of them in children that keep them; give the number that were opened."""
        opened = 0
        while opened < wanted:
            reader, writer = os.pipe()
            child = os.fork()
            if child == 0:
                got = 0
                with suppress(OSError):
                    while got < min(self.EACH, wanted - opened):
                        is_terminal(os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY))
                        got += 1
                os.write(writer, struct.pack("i", got))
                signal.pause()
            self._held.append(child)
            got = int(struct.unpack("i", os.read(reader, 4))[0])
            os.close(reader)
            os.close(writer)
            opened += got
            if got < min(self.EACH, wanted - opened + got):
                break
        if wanted and not opened:
            raise OSError(errno.ENOTTY, "no pseudo terminals")
        return opened

    def _release(self) -> None:
        for child in self._held:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        self._held = []


def is_terminal(file: int) -> None:
    """
    Make sure that *file* is a terminal, and not a file that was put in its place.

    Raises:
        OSError: If it is not.
    """
    if os.major(os.fstat(file).st_rdev) == 1:  # memory devices, such as /dev/null
        raise OSError(errno.ENOTTY, "no terminal")


def number(bits: Sequence[int]) -> int:
    """The number that *bits* are the binary digits of."""
    return sum(bit << place for place, bit in enumerate(bits))


def digits(value: int, count: int) -> list[float]:
    """The last binary digits of *value*."""
    return [float(value >> place & 1) for place in range(count)]


NOTES: dict[str, Callable[[int], Channel]] = {
    "pages of a file, by mincore": PagesByMincore,
    "pages of a file, by faults": PagesByFaults,
    "pages of a file, by time": Pages,
    "names sought in vain": Names,
    "lines in the processor's cache": Lines,
}
"""By name: makes the way for notes that use an area of their own."""


class Way:
    """A way to send hands, and the bits that it carries at a time."""

    def __init__(self, make: Callable[[], Channel], bits: int) -> None:
        self.make = make
        self.bits = bits


HANDS: dict[str, Way] = {
    "locks on the launcher": Way(Locks, 52),
    "locks on a namespace": Way(lambda: Locks("/proc/self/ns/time"), 52),
    "futex, woken by the reader": Way(Futexes, 32),
    "futex, woken by a thread's end": Way(ThreadsEnds, 16),
    "shares in /proc/self/smaps": Way(MapCounts, 52),
    "Shmem in /proc/meminfo": Way(lambda: Level(meminfo, 1 << 20, shared_memory), 3),
    "sysinfo(2)": Way(lambda: Level(sysinfo, 1 << 20, shared_memory), 3),
    "links of /proc": Way(lambda: Level(processes_of_host, 1, hold_processes), 5),
    "pseudo terminals left": Way(Terminals, 8),
    "cookies of sockets": Way(lambda: Counter(cookie), 8),
    "numbers of processes (pidfd)": Way(lambda: Counter(process), 6),
    "names sought in vain": Way(Names, 52),
    "inode numbers of pipes": Way(lambda: Counter(inode, unit=4), 8),
    "cache lines of a file": Way(Lines, 52),
    "cache lines of the zero page": Way(lambda: Lines(path=None), 8),
}
"""By name: ways from a living container to another."""
