"""
A container's control group: the kernel's files that measure and freeze its processes, and reclaim memory.

There are two versions, cgroup v1 and v2. Where a machine has both, v2 freezes, five times as fast, and v1 measures:
to read its CPU time takes three quarters of the time.

Memory of the kernel is reclaimed between tables, so that no container learns what earlier ones looked up. The kernel
remembers each name that was looked up and not found, on the disk that all containers of an image share: the next
container could tell by the time of a look-up. This memory is counted in the container's control group, and in the group
above when the container is gone; there it can be reclaimed (docs/adr/0014-what-containers-share.md).
"""

from __future__ import annotations

import os
import re
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import structlog

GROUPS = Path("/sys/fs/cgroup")
UPWARDS = re.compile(r"^(/\.\.)*/")
UNIFIED = "unified"
"""Folder where v2 is mounted beside v1."""


@dataclass(frozen=True)
class GroupFiles:
    """The files of one group."""

    cpu: Path
    cpu_unit: float
    """Seconds in one unit of the first number in `cpu`."""
    freezer: Path
    freeze: bytes
    thaw: bytes
    """Content written to `freezer` to thaw the group; `freeze` is that to freeze it."""
    cores: Path
    """The cores that the group may use."""
    peak: Path
    """The most bytes of memory used so far."""
    memory: Path
    """Bytes of memory used now."""
    kills: Path
    """File with the number of processes that the kernel has killed for want of memory, in the line ``oom_kill``."""


def files_of(pid: int, name: str, groups: Path = GROUPS, processes: Path = Path("/proc")) -> GroupFiles | None:
    """
    Find the files of the control group of process *pid*; None where there are none.

    The group's path must hold *name*: the engine may run on another machine, where numbers name other processes.
    """
    try:
        lines = (processes / str(pid) / "cgroup").read_text().splitlines()
    except OSError:
        return None
    # In a container with a control group namespace of its own, paths lead upwards first; *groups* is the host's.
    paths = {key: UPWARDS.sub("", path) for key, path in (line.split(":", 2)[1:] for line in lines if name in line)}
    first = {part: groups / key / path for key, path in paths.items() if key for part in key.split(",")}
    if "" in paths:
        for second in (groups / UNIFIED / paths[""], groups / paths[""]):
            if (second / "cgroup.freeze").exists():
                return _files_v2(second, first)
    return _files_v1(first) if {"cpuacct", "freezer"} <= first.keys() else None


def thaw(name: str, groups: Path = GROUPS) -> None:
    """Thaw the processes of a container, by its id: the engine does not describe one that it is ending."""
    for folder, _, files in os.walk(groups):  # folders of containers that end meanwhile are passed over
        if name in os.path.basename(folder):
            for file, word in (("freezer.state", b"THAWED"), ("cgroup.freeze", b"0")):
                with suppress(OSError):
                    if file in files:
                        Path(folder, file).write_bytes(word)


def _files_v1(folders: dict[str, Path]) -> GroupFiles:
    """Give the files of a v1 group, which has a folder for each resource."""
    cpu, freezer = folders["cpuacct"] / "cpuacct.usage", folders["freezer"] / "freezer.state"
    cores, memory = _cores(folders, cpu.parent), _memory(folders, cpu.parent)
    return GroupFiles(cpu, 1e-9, freezer, b"FROZEN", b"THAWED", cores, *memory)


def _files_v2(folder: Path, folders: dict[str, Path]) -> GroupFiles:
    """Give the files of a v2 group; what v1 controls beside it is found in *folders*."""
    cpu = (folders["cpuacct"] / "cpuacct.usage", 1e-9) if "cpuacct" in folders else (folder / "cpu.stat", 1e-6)
    return GroupFiles(*cpu, folder / "cgroup.freeze", b"1", b"0", _cores(folders, folder), *_memory(folders, folder))


def _cores(folders: dict[str, Path], other: Path) -> Path:
    return folders.get("cpuset", other) / "cpuset.cpus"


def _memory(folders: dict[str, Path], other: Path) -> tuple[Path, Path, Path]:
    """Give the files `peak`, `memory` and `kills`."""
    first = folders.get("memory")
    if first is None:
        return other / "memory.peak", other / "memory.current", other / "memory.events"
    return first / "memory.max_usage_in_bytes", first / "memory.usage_in_bytes", first / "memory.oom_control"


class ControlGroup:
    """Reads and freezes one group; its files stay open. What the kernel refuses is left undone."""

    def __init__(self, files: GroupFiles) -> None:
        self._files = files
        self._cpu = _open(files.cpu, os.O_RDONLY)
        self._freezer = _open(files.freezer, os.O_WRONLY)
        self._cpu_unit = files.cpu_unit
        self._readable = self._cpu is not None
        self._used = 0.0
        self._all_cores: str | None = None

    def cpu_time(self) -> float | None:
        """Read the seconds of CPU time used; the last figure if the group is removed; None if it may not be read."""
        if self._cpu is not None:
            with suppress(OSError):
                self._used = _first_number(os.pread(self._cpu, 64, 0)) * self._cpu_unit
        return self._used if self._readable else None

    def freeze(self) -> None:
        """Freeze every process of the group."""
        self._switch(self._files.freeze)

    def thaw(self) -> None:
        """Resume every process of the group."""
        self._switch(self._files.thaw)

    def pin(self, core: int) -> None:
        """Limit them to one core."""
        with suppress(OSError):
            if self._all_cores is None:
                self._all_cores = self._files.cores.read_text()
            self._files.cores.write_text(str(core))

    def unpin(self) -> None:
        """Let them use all cores again that they had before they were limited to one."""
        if self._all_cores is not None:
            with suppress(OSError):
                self._files.cores.write_text(self._all_cores)

    def peak_memory(self) -> int | None:
        """Read the most bytes of memory used so far; None where that cannot be read."""
        return _number_in(self._files.peak)

    def memory(self) -> int | None:
        """Read the bytes of memory used now; None where that cannot be read."""
        return _number_in(self._files.memory)

    def memory_kills(self) -> int:
        """Count its processes that the kernel has killed for want of memory; 0 where that cannot be read."""
        with suppress(OSError):
            for line in self._files.kills.read_text().splitlines():
                word, _, number = line.partition(" ")
                if word == "oom_kill":
                    return int(number)
        return 0

    def close(self) -> None:
        """Close the files; may be called twice."""
        for file in (self._cpu, self._freezer):
            if file is not None:
                os.close(file)
        self._cpu = self._freezer = None

    def _switch(self, word: bytes) -> None:
        if self._freezer is not None:
            with suppress(OSError):
                os.pwrite(self._freezer, word, 0)


class LeasedGroup:
    """Usage of one instance in a group in which others have been before it."""

    def __init__(self, group: ControlGroup) -> None:
        self._group: ControlGroup | None = group
        self._before = group.cpu_time()
        self._kills = group.memory_kills()
        self._used = 0.0

    def cpu_time(self) -> float | None:
        """Give the CPU seconds since the instance began, the last figure after `close`; None if it may not be read."""
        if self._before is None:
            return None
        if self._group is not None and (now := self._group.cpu_time()) is not None:
            self._used = now - self._before
        return self._used

    def freeze(self) -> None:
        """See `ControlGroup`."""
        if self._group is not None:
            self._group.freeze()

    def thaw(self) -> None:
        """See `ControlGroup`."""
        if self._group is not None:
            self._group.thaw()

    def pin(self, core: int) -> None:
        """See `ControlGroup`."""
        if self._group is not None:
            self._group.pin(core)

    def peak_memory(self) -> None:
        """Give None: the kernel counts for all instances of the group."""

    def out_of_memory(self) -> bool:
        """Tell whether the kernel has killed a process for want of memory since the instance began."""
        return self._group is not None and self._group.memory_kills() > self._kills

    def close(self) -> None:
        """Stop using the group: from now on another instance uses it."""
        self.cpu_time()
        self._group = None


def _number_in(file: Path) -> int | None:
    try:
        return int(file.read_text())
    except (OSError, ValueError):
        return None


def _open(path: Path, flags: int) -> int | None:
    try:
        return os.open(path, flags | os.O_CLOEXEC)
    except OSError:
        return None


def _first_number(text: bytes) -> int:
    """Read the first number: 123 as in ``usage_usec 123``."""
    words = text.split(None, 2)
    return int(words[0] if len(words) == 1 else words[1])


log = structlog.get_logger()

PARENTS = {"cgroupfs": "/pigpen", "systemd": "pigpen.slice"}
"""Name of the group above our containers, by the engine's cgroup driver."""

MAX_SECONDS = 5.0
"""The most seconds that a table's start waits; usually it takes 15 to 60 ms."""

_REST = b"1T"
"""More than there is: reclaim everything possible."""


def parent_group(driver: str) -> str | None:
    """Give the name of the group above our containers; None if the cgroup driver is unknown."""
    return PARENTS.get(driver)


def start_reclaim(driver: str) -> Future[bool]:
    """Call `reclaim_memory` in a thread of its own: running containers may keep it busy for long."""
    done: Future[bool] = Future()
    Thread(target=lambda: done.set_result(reclaim_memory(driver)), name="reclaim", daemon=True).start()
    return done


def wait_for_reclaim(reclaimed: Future[bool], seconds: float = MAX_SECONDS) -> None:
    """Wait until the memory is reclaimed, at most *seconds* seconds."""
    try:
        reclaimed.result(seconds)
    except TimeoutError:
        log.warning("names.remembered", seconds=seconds)


def reclaim_memory(driver: str, groups: Path = GROUPS) -> bool:
    """
    Let the kernel reclaim the memory that it keeps for our containers without need.

    Returns:
        Whether it could be asked; that needs root, and control groups v1, or v2 with Linux 5.19.
    """
    name = (parent_group(driver) or "").lstrip("/")
    first, second = groups / "memory" / name / "memory.force_empty", groups / name / "memory.reclaim"
    if not name:
        return False
    # With cgroup v1, nothing is to be swapped out for it.
    if _write(first.with_name("memory.swappiness"), b"0") and _write(first, b"0"):
        return True
    return _write(second, _REST + b" swappiness=0") or _write(second, _REST)


def _write(file: Path, text: bytes) -> bool:
    try:
        group = os.open(file, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        with suppress(BlockingIOError):  # less was reclaimed: all there was
            os.write(group, text)
    except OSError:
        return False
    finally:
        os.close(group)
    return True
