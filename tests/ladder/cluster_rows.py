"""Workers for tests: as a coordinator would write them down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ladder.store.commands.coordinators import write_workers
from ladder.values.cluster import MachineClass, WorkerFacts, WorkerSeen, WorkerState
from tests.ladder.ladders import NOW

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder

COORDINATOR = "coordinator boot pid:[1] 1 1"
MACHINE = MachineClass(architecture="x86_64", processor="Ryzen 9 7950X", cores=16)


def facts(name: str, **more: Any) -> WorkerFacts:
    """Give the facts that a worker reports of itself."""
    known: dict[str, Any] = {
        "name": name,
        "process": "box boot pid:[1] 7 7",
        "version": "0.17.0",
        "machine": MACHINE,
        "memory": 64 << 30,
        "engine": "28.3.1",
        "runtimes": ("runc", "runsc"),
        "slots": 4,
        "images": 12,
        "image_bytes": 3 << 30,
        "clock": NOW,
    }
    return WorkerFacts.model_validate(known | more)


def seen(name: str, known: dict[str, Any] | None = None, **more: Any) -> WorkerSeen:
    """Give its coordinator's view of a worker."""
    given: dict[str, Any] = {
        "facts": facts(name, **(known or {})),
        "coordinator": COORDINATOR,
        "address": "tls://10.0.0.7:41234",
        "state": WorkerState.ACTIVE,
        "joined": NOW - 3600,
        "seen": NOW,
    }
    return WorkerSeen.model_validate(given | more)


def add_workers(ladder: Ladder, *workers: WorkerSeen) -> None:
    """Write workers into a ladder's table, those too that have gone since."""
    with ladder.database.write() as session:
        write_workers(session, [worker.model_copy(update={"state": WorkerState.ACTIVE}) for worker in workers])
        write_workers(session, workers)
