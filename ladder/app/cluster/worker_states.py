"""
States of a cluster's workers and coordinators, and the organisers' orders which workers may play.

For organisers there are remarks about a worker: its state in words, its clock, its certificate. For programs that
monitor a ladder there are numbers about workers and failures.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ladder.entry.policy import Act, check, may
from ladder.errors import LadderError
from ladder.runner.fleet_roster import why_shares_kernel
from ladder.store.commands import coordinators as commands
from ladder.store.commands import coordinators as store
from ladder.store.commands.accounts import write_audit
from ladder.store.queries import overview
from ladder.store.queries import workers as queries
from ladder.values.cluster import ClusterFigures, CoordinatorRow, WantedState, WorkerState
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from ladder.app.ladder import Ladder
    from ladder.store.database import Session
    from ladder.values.accounts import Viewer
    from ladder.values.cluster import WorkerRow

WRONG_CLOCK = 5.0
"""Seconds by which a clock may be off without a word."""
RENEW_DAYS = 30
"""Days before its expiry from which a certificate should be replaced."""
DAY = 86_400.0
PLAYING = (WorkerState.ACTIVE, WorkerState.CALIBRATING, WorkerState.FAILING)
NOT_PLAYING = (WorkerState.DRAINING, WorkerState.DRAINED)


def state_of(worker: WorkerRow) -> str:
    """Give its state; or what it is to be, if its coordinator has not seen to that yet."""
    if worker.wanted is WantedState.DRAINED and worker.state in PLAYING:
        return "to drain"
    if worker.wanted is WantedState.ACTIVE and worker.state in NOT_PLAYING:
        return "to resume"
    return worker.state.value


def slots_of(workers: Sequence[WorkerRow]) -> tuple[int, int]:
    """Count the slots that are busy, and all slots, of those that are connected."""
    there = [worker for worker in workers if worker.state not in (WorkerState.GONE, WorkerState.TURNED_AWAY)]
    return sum(worker.busy for worker in there), sum(worker.slots for worker in there)


def ago(seconds: float) -> tuple[int, str]:
    """
    Give a time in the largest unit that says something: ``s``, ``min``, ``h`` or ``d``.

    >>> ago(119.9), ago(120), ago(-3)
    ((119, 's'), (2, 'min'), (0, 's'))
    """
    whole = max(0, int(seconds))
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if whole >= 2 * size:
            return whole // size, unit
    return whole, "s"


def remarks(worker: WorkerRow, now: datetime, runtime: str | None) -> Iterator[str]:
    """
    Say in sentences why a worker is in its state, and what its machine needs.

    Args:
        worker: The worker.
        now: The time.
        runtime: The OCI runtime that the ladder's settings demand; None: it plays in no containers.
    """
    if worker.reason:
        yield worker.reason
    if shared := why_shares_kernel(worker, runtime):
        yield shared
    if has_wrong_clock(worker):
        way = "ahead of" if worker.clock_skew > 0 else "behind"
        yield f"Its clock is {abs(worker.clock_skew):,.0f} s {way} its coordinator's."
    if (days := days_left(worker, now)) is not None and days < RENEW_DAYS:
        yield expiry(days, f"pigpen cluster certs {worker.name}")


def expiry(days: float, renewal: str) -> str:
    """
    Say that a certificate expires soon, and how to make another.

    >>> expiry(12.4, "pigpen cluster certs sty")
    'Its certificate expires in 12 days; a new one: pigpen cluster certs sty'
    """
    if days < 0:
        return f"Its certificate has expired; a new one: {renewal}"
    return f"Its certificate expires in {days:.0f} day{'s' * (f'{days:.0f}' != '1')}; a new one: {renewal}"


def has_wrong_clock(worker: WorkerRow) -> bool:
    """Tell whether its clock is off by more than one would expect."""
    return abs(worker.clock_skew) > WRONG_CLOCK


def days_left(worker: WorkerRow, now: datetime) -> float | None:
    """Give the days until its certificate expires; None: unknown."""
    if worker.certificate_ends is None:
        return None
    return (worker.certificate_ends - now).total_seconds() / DAY


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
        commands.forget_worker(session, name)
        write_audit(session, viewer, "worker.forget", name, ladder.clock())


def _want(ladder: Ladder, viewer: Viewer, name: str, wanted: WantedState, reason: str) -> WorkerRow:
    check(viewer, Act.ADMINISTER)
    with ladder.database.write() as session:
        if not commands.set_wanted(session, name, wanted, reason):
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
