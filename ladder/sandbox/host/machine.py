"""The machine here: its class, its memory and that of a process, and the cores on which the bots of a table think."""

from __future__ import annotations

import os
import platform
import random
import re
from collections import Counter
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ladder.values.cluster import MachineClass

MIB = 1024 * 1024
CAP_DAC_OVERRIDE = 1
"""Number of that capability."""


def machine_memory() -> int:
    """Give the bytes of memory that this machine has."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def peak_of_process(pid: int) -> int | None:
    """Read the most bytes that process *pid* had in memory; None where that cannot be read."""
    try:
        found = re.search(r"^VmHWM:\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    except OSError:
        return None
    return int(found[1]) * 1024 if found else None


def overrides_modes(status: Path = Path("/proc/self/status")) -> bool:
    """
    Tell whether this process may write files whose modes forbid it, as root may: those of control groups, for example.

    Args:
        status: The kernel's description of this process.
    """
    try:
        found = re.search(r"^CapEff:\s+([0-9a-f]+)$", status.read_text(), re.MULTILINE)
    except OSError:
        return os.geteuid() == 0
    return found is not None and bool(int(found[1], 16) >> CAP_DAC_OVERRIDE & 1)


def all_cores() -> tuple[int, ...]:
    """List the cores that this process may use; at least one."""
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


def bot_cores() -> tuple[int, ...]:
    """List the cores that bots may use: all but the first, which the referee and the engine have; at least one."""
    cores = all_cores()
    return cores[1:] or cores


def default_slots(task_memory: int = 0) -> int:
    """
    Give how many matches this machine plays at once, unless it is told another number.

    One for each core that bots may use, and one that starts meanwhile; no more than memory holds, but at least one.

    Args:
        task_memory: Bytes of memory that one match may take; 0: any number of matches has room.
    """
    slots = len(bot_cores()) + 1
    return max(1, min(slots, machine_memory() // task_memory)) if task_memory else slots


class Cores:
    """
    Hands out cores, those with the fewest tables first.

    All bots of a table share one: they think one after the other.
    """

    def __init__(self, cores: Sequence[int], rng: random.Random | None = None) -> None:
        self._tables = Counter(dict.fromkeys(cores, 0))
        self._rng = rng or random.Random()

    def share(self, number: int, count: int) -> None:
        """
        Hand out this process's part of the cores only, one at least; call it before the first lease.

        Args:
            number: Of this process, from 0.
            count: How many processes have tables on this machine.
        """
        cores = list(self._tables)
        self._tables = Counter(dict.fromkeys(cores[number::count] or [cores[number % len(cores)]], 0))

    @contextmanager
    def lease(self) -> Iterator[int]:
        """Yield a core for one table; by lot where several are as good, since other processes choose too."""
        fewest = min(self._tables.values())
        core = self._rng.choice([core for core, tables in self._tables.items() if tables == fewest])
        self._tables[core] += 1
        try:
            yield core
        finally:
            self._tables[core] -= 1


CORES = Cores(bot_cores())
"""The cores of this machine."""


CPUINFO = Path("/proc/cpuinfo")


@cache
def this_machine(cpuinfo: Path = CPUINFO) -> MachineClass:
    """
    Say what bots can expect of this machine's processor.

    Args:
        cpuinfo: Where the kernel describes it.
    """
    from ladder.values.cluster import MachineClass  # which no match on this machine needs

    return MachineClass(architecture=platform.machine(), processor=_processor(cpuinfo), cores=len(all_cores()))


def _processor(cpuinfo: Path) -> str:
    with suppress(OSError):
        for line in cpuinfo.read_text(errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() in ("model name", "Model", "cpu model"):
                return value.strip()[:200]
    return ""
