"""
States of a cluster's workers and coordinators, and the organisers' orders which workers may play.

For organisers there are remarks about a worker: its state in words, its clock, its certificate. For programs that
monitor a ladder there are numbers about workers and failures.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ladder.app.cluster.remarks import slots_of
from ladder.entry.policy import Act, check, may
from ladder.errors import LadderError
from ladder.store.commands import coordinators as store
from ladder.store.commands.accounts import write_audit
from ladder.store.queries import overview
from ladder.store.queries import workers as queries
from ladder.values.cluster import ClusterFigures, CoordinatorRow, WantedState, WorkerState
from ladder.values.value import time_of

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.store.database import Session
    from ladder.values.accounts import Viewer
    from ladder.values.cluster import WorkerRow


MAX_WORKERS = 1000
"""Workers that are named; the others, seen longer ago, are left out."""


def figures(ladder: Ladder, viewer: Viewer) -> ClusterFigures:
    """
    Add all workers up; organisers get each worker, too, and why matches failed.

    While results of an event are not public, neither is how much workers have done: play-offs would show.
    """
    with ladder.database.read() as session:
        now = ladder.clock()
        rows = queries.workers(session, now)
        is_organiser = may(viewer, Act.ADMINISTER)
        reasons = overview.failure_reasons(session) if is_organiser else {}
        is_public = is_organiser or not overview.are_sealed(session)
    busy, slots = slots_of(rows)
    newest = sorted(rows, key=lambda row: row.seen, reverse=True)[:MAX_WORKERS]
    return ClusterFigures(
        states={str(state): 0 for state in WorkerState} | Counter(row.state.value for row in rows),
        busy=busy if is_public else None,
        slots=slots,
        tasks=sum(row.tasks for row in rows) if is_public else None,
        voids=sum(row.voids for row in rows) if is_public else None,
        lies=sum(row.lies for row in rows),
        workers=tuple(newest) if is_organiser else (),
        reasons=reasons,
        now=time_of(now),
    )


def coordinators(ladder: Ladder, viewer: Viewer) -> list[CoordinatorRow]:
    """
    Read those that have not ended by themselves, the last to speak first.

    Raises:
        Forbidden: If the viewer is not an organiser.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.read() as session:
        now = store.database_time(session)
        found = store.coordinators(session)
    rows = [CoordinatorRow(process=each.holder, silent_seconds=max(0.0, now - each.seen)) for each in found]
    return sorted(rows, key=lambda row: row.silent_seconds)


MAX_REASON = 200
MAX_NAMES = 20
"""Greatest number of workers that a message names."""


def workers(ladder: Ladder, viewer: Viewer) -> list[WorkerRow]:
    """
    Read all workers, by name.

    Raises:
        Forbidden: If the viewer is not an organiser.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.read() as session:
        return queries.workers(session, ladder.clock())


def worker(ladder: Ladder, viewer: Viewer, name: str) -> WorkerRow:
    """
    Read one worker.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such worker.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.read() as session:
        return _find(session, name, ladder.clock())


def drain(ladder: Ladder, viewer: Viewer, name: str, reason: str = "") -> WorkerRow:
    """
    Let a worker finish its tasks and get no more of them, until `resume`.

    Args:
        ladder: The ladder.
        viewer: The caller.
        name: The worker's.
        reason: Why, in a sentence.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such worker, or the reason is too long.
    """
    if len(reason) > MAX_REASON:
        raise LadderError(f"A reason has {MAX_REASON} characters at most; this one has {len(reason)}.")
    return _want(ladder, viewer, name, WantedState.DRAINED, reason)


def resume(ladder: Ladder, viewer: Viewer, name: str) -> WorkerRow:
    """
    Let a worker play again, no matter whether an organiser or the fleet has drained it.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such worker.
    """
    return _want(ladder, viewer, name, WantedState.ACTIVE, "")


def forget(ladder: Ladder, viewer: Viewer, name: str) -> None:
    """
    Remove a worker that has gone from the list.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such worker, or it is connected.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.write() as session:
        state = queries.worker_state(session, name, ladder.clock())
        if state is None:
            raise _unknown(session, name)
        if state is not WorkerState.GONE:
            raise LadderError(f"The worker {name} is connected; stop it first, on its machine.")
        store.forget_worker(session, name)
        write_audit(session, viewer, "worker.forget", name, ladder.clock())


def _want(ladder: Ladder, viewer: Viewer, name: str, wanted: WantedState, reason: str) -> WorkerRow:
    check(viewer, Act.ADMINISTER)
    with ladder.database.write() as session:
        if not store.set_wanted(session, name, wanted, reason):
            raise _unknown(session, name)
        action = "worker.drain" if wanted is WantedState.DRAINED else "worker.resume"
        write_audit(session, viewer, action, name, ladder.clock(), **({"reason": reason} if reason else {}))
        return _find(session, name, ladder.clock())


def _find(session: Session, name: str, now: float) -> WorkerRow:
    if (found := queries.worker(session, name, now)) is None:
        raise _unknown(session, name)
    return found


def _unknown(session: Session, name: str) -> LadderError:
    there = queries.worker_names(session)
    names = ", ".join(there[:MAX_NAMES]) + (", …" if len(there) > MAX_NAMES else "")
    return LadderError(
        f"There is no worker {name!r}. " + (f"There is {names}." if there else "No worker has ever connected.")
    )
