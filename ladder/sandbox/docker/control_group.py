"""
A container's control group: the kernel's files that measure and freeze its processes.

There are two versions, cgroup v1 and v2. Where a machine has both, v2 is used: it freezes five times as fast.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")
UNIFIED = "unified"
"""Where v2 is mounted beside v1."""


@dataclass(frozen=True)
class GroupFiles:
    """The files of one group."""

    cpu: Path
    cpu_unit: float
    """Seconds in one unit of the first number in `cpu`."""
    freezer: Path
    freeze: bytes
    thaw: bytes
    """What is written to `freezer` to freeze the group, and to thaw it."""
    cores: Path
    """The cores that the group may use."""
    peak: Path
    """The most bytes of memory used so far."""


def files_of(pid: int, name: str, groups: Path = GROUPS, processes: Path = Path("/proc")) -> GroupFiles | None:
    """
    Find the files of the control group of process *pid*; None where there are none.

    The group's path must hold *name*: the engine may run on another machine, where numbers name other processes.
    """
    try:
        lines = (processes / str(pid) / "cgroup").read_text().splitlines()
    except OSError:
        return None
    paths = {key: path.lstrip("/") for key, path in (line.split(":", 2)[1:] for line in lines if name in line)}
    first = {part: groups / key / path for key, path in paths.items() if key for part in key.split(",")}
    if "" in paths:
        for second in (groups / UNIFIED / paths[""], groups / paths[""]):
            if (second / "cgroup.freeze").exists():
                return _files_v2(second, first)
    return _files_v1(first) if {"cpuacct", "freezer"} <= first.keys() else None


def _files_v1(folders: dict[str, Path]) -> GroupFiles:
    """The files of a v1 group, which has a folder for each resource."""
    cpu, freezer = folders["cpuacct"] / "cpuacct.usage", folders["freezer"] / "freezer.state"
    return GroupFiles(cpu, 1e-9, freezer, b"FROZEN", b"THAWED", _cores(folders, cpu.parent), _peak(folders, cpu.parent))


def _files_v2(folder: Path, folders: dict[str, Path]) -> GroupFiles:
    """The files of a v2 group; what v1 controls beside it is found in *folders*."""
    cpu, freezer = folder / "cpu.stat", folder / "cgroup.freeze"
    return GroupFiles(cpu, 1e-6, freezer, b"1", b"0", _cores(folders, folder), _peak(folders, folder))


def _cores(folders: dict[str, Path], other: Path) -> Path:
    return folders.get("cpuset", other) / "cpuset.cpus"


def _peak(folders: dict[str, Path], other: Path) -> Path:
    return folders["memory"] / "memory.max_usage_in_bytes" if "memory" in folders else other / "memory.peak"


class ControlGroup:
    """Reads and freezes one group; its files stay open. What the kernel refuses is left undone."""

    def __init__(self, files: GroupFiles) -> None:
        self._files = files
        self._cpu = _open(files.cpu, os.O_RDONLY)
        self._freezer = _open(files.freezer, os.O_WRONLY)
        self._cpu_unit = files.cpu_unit
        self._readable = self._cpu is not None
        self._used = 0.0

    def cpu_time(self) -> float | None:
        """Seconds of CPU time used so far, the last figure read if the group is gone; None if it may not be read."""
        if self._cpu is not None:
            with suppress(OSError):
                self._used = _first_number(os.pread(self._cpu, 64, 0)) * self._cpu_unit
        return self._used if self._readable else None

    def freeze(self) -> None:
        """Freeze every process of the group."""
        self._switch(self._files.freeze)

    def thaw(self) -> None:
        """Let them go on."""
        self._switch(self._files.thaw)

    def pin(self, core: int) -> None:
        """Limit them to one core."""
        with suppress(OSError):
            self._files.cores.write_text(str(core))

    def peak_memory(self) -> int | None:
        """The most bytes of memory used so far; None where that cannot be read."""
        try:
            return int(self._files.peak.read_text())
        except (OSError, ValueError):
            return None

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


def _open(path: Path, flags: int) -> int | None:
    try:
        return os.open(path, flags | os.O_CLOEXEC)
    except OSError:
        return None


def _first_number(text: bytes) -> int:
    """The number in ``123`` as in ``usage_usec 123``."""
    words = text.split(None, 2)
    return int(words[0] if len(words) == 1 else words[1])
