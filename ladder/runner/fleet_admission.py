"""Admission of workers to a ladder; pure functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.values.sandbox_kind import AUTO, chosen_runtime, has_own_kernel

if TYPE_CHECKING:
    from ladder.values.cluster import WorkerFacts, WorkerRow

MIB = 1 << 20
MAX_SLOTS = 1000
"""No machine plays more matches at once, whatever it says."""


@dataclass(frozen=True)
class Demands:
    """A ladder's demands on each worker."""

    version: str
    """Pigpen's; any other one might play by other rules, or write other records."""
    runtime: str | None = None
    """The OCI runtime of the containers in which bots run; auto: each worker's best; None: no containers."""
    architecture: str = ""
    """For which the bots' images are built, as the kernel calls it; empty: any."""
    slot_memory: int = 0
    """Bytes of memory that one task may take; 0: unknown."""


def objection(facts: WorkerFacts, demands: Demands) -> str:
    """Say why a worker is turned away; empty: it is welcome. Nothing that it does while it runs helps."""
    if facts.version != demands.version:
        return (
            f"Worker {facts.name} has Pigpen {facts.version}, and this ladder needs {demands.version}: install "
            f"pigpen-arena=={demands.version} there."
        )
    if demands.architecture and facts.machine.architecture != demands.architecture:
        return (
            f"Worker {facts.name} is a machine of architecture {facts.machine.architecture}, and the bots of this "
            f"ladder are built for {demands.architecture}."
        )
    if capacity(facts, demands) == 0:
        return (
            f"Worker {facts.name} has {facts.memory // MIB} MiB of memory, and one match may take "
            f"{demands.slot_memory // MIB} MiB."
        )
    return ""


def lack(facts: WorkerFacts, demands: Demands) -> str:
    """Give what a worker lacks just now to play, in a sentence; empty: nothing that one could know."""
    if demands.runtime is None:
        return ""
    if not facts.engine:
        return f"No Docker engine answers on worker {facts.name}."
    if facts.runtimes and runtime_of(facts, demands) not in facts.runtimes:
        return (
            f"The Docker engine of worker {facts.name} has no runtime {demands.runtime}; it has "
            f"{', '.join(facts.runtimes)}."
        )
    return ""


def runtime_of(facts: WorkerFacts, demands: Demands) -> str | None:
    """Choose the runtime under which bots play at a worker; None: in no containers."""
    return None if demands.runtime is None else chosen_runtime(demands.runtime, facts.runtimes)


def why_shares_kernel(worker: WorkerFacts | WorkerRow, wanted: str | None) -> str:
    """
    Say why all bots at a worker share the kernel of its machine; empty: each has one of its own, or none plays.

    Args:
        worker: The worker.
        wanted: The runtime that the ladder demands (`Demands.runtime`).
    """
    if wanted is None or not worker.engine or has_own_kernel(runtime := chosen_runtime(wanted, worker.runtimes)):
        return ""
    if wanted == AUTO:
        return "All bots at this worker share its kernel. Install gVisor there: docs/cluster.md."
    return (
        f"All bots at this worker share its kernel: the setting runtime asks for {runtime}. With "
        'runtime = "auto" they play in gVisor where a worker has it (docs/cluster.md).'
    )


def capacity(facts: WorkerFacts, demands: Demands) -> int:
    """Say how many tasks it may have at once: as many as it offers, but no more than its memory holds."""
    slots = min(facts.slots, MAX_SLOTS)
    if not (demands.slot_memory and facts.memory):
        return slots
    return min(slots, facts.memory // demands.slot_memory)
