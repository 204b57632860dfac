"""The core of this machine on which a table's bots think."""

from __future__ import annotations

import os
import random
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ladder.sandbox.host.memory import machine_memory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


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
