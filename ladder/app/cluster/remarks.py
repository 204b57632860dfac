"""What an organiser should know of a worker besides its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from ladder.values.cluster import WorkerRow

WRONG_CLOCK = 5.0
"""Seconds by which a clock may be off without a word."""
RENEW_DAYS = 30
"""So many days before a certificate expires it should be replaced."""
DAY = 86_400.0


def remarks(worker: WorkerRow, now: datetime) -> Iterator[str]:
    """Say in sentences why a worker is in its state, and what its machine needs."""
    if worker.reason:
        yield worker.reason
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
    """Whether its clock is off by more than one would expect."""
    return abs(worker.clock_skew) > WRONG_CLOCK


def days_left(worker: WorkerRow, now: datetime) -> float | None:
    """Until its certificate expires; None: nobody knows."""
    if worker.certificate_ends is None:
        return None
    return (worker.certificate_ends - now).total_seconds() / DAY
