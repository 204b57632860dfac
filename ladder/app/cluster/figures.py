"""Numbers about workers and failures, for programs that monitor a ladder."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ladder.app.cluster.remarks import slots_of
from ladder.entry.policy import Act, may
from ladder.store.queries import overview
from ladder.store.queries import workers as queries
from ladder.values.cluster import ClusterFigures, WorkerState
from ladder.values.value import time_of

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.values.accounts import Viewer

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
