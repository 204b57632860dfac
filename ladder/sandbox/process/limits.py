"""Limits of a bot that runs as a plain process."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ProcessLimits:
    """Limits of one forked process."""

    memory_bytes: int
    """
    Its data: what it has asked for in writable memory of its own, used or not (`RLIMIT_DATA`).

    The address space is no measure, because each thread of gRPC reserves some and uses none of it.
    """
    niceness: int
    """By how much its priority for CPU time is below that of other processes: 0 to 19."""
