"""Remarks for organisers about a worker: its state in words, its clock, its certificate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.runner.fleet_admission import why_shares_kernel
from ladder.values.cluster import WantedState, WorkerState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

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
