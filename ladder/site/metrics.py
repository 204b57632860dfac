"""What `/metrics` tells Prometheus: of the site's own requests, and of the ladder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

if TYPE_CHECKING:
    from ladder.values.site import LadderCounts

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Seconds."""
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class Metrics:
    """The figures of one web process."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self._requests = Counter("pigpen_requests", "Requests served", ["route", "method", "status"], registry=registry)
        self._seconds = Histogram(
            "pigpen_request_seconds", "Time to serve a request", ["route"], registry=registry, buckets=BUCKETS
        )
        self._logins = Counter("pigpen_logins", "Attempts to log in with a password", ["end"], registry=registry)
        self._streams = Gauge("pigpen_live_streams", "Streams of live events that are open", registry=registry)
        self._matches = Gauge("pigpen_matches", "Matches by status", ["status"], registry=registry)
        self._failures = Gauge("pigpen_failures", "Failed attempts of matches that are not done", registry=registry)
        self._decisions = Gauge("pigpen_decisions", "Decisions in matches that are done", registry=registry)
        self._faults = Gauge("pigpen_faults", "Faults held against bots in them", registry=registry)
        self._submissions = Gauge("pigpen_submissions", "Submissions by status", ["status"], registry=registry)
        self._bots = Gauge("pigpen_bots", "Entries of bots in variants, by state", ["state"], registry=registry)

    def served(self, route: str, method: str, status: int, seconds: float) -> None:
        """A request has been served; *route* is the path with the names of its parameters, empty if there is none."""
        method = method if method in METHODS else "other"  # a client may make names up, and each one would be kept
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def logged_in(self, end: str) -> None:
        """Somebody has tried to log in; it was *right*, or *wrong*."""
        self._logins.labels(end).inc()

    def stream_opened(self, change: int) -> None:
        """A stream of live events has been opened (1) or has ended (-1)."""
        self._streams.inc(change)

    def text(self, counts: LadderCounts) -> bytes:
        """All figures in Prometheus's text format, those of the ladder as they are now."""
        for status, number in counts.matches.items():
            self._matches.labels(status).set(number)
        for state, number in counts.bots.items():
            self._bots.labels(state).set(number)
        for status, number in counts.submissions.items():
            self._submissions.labels(status).set(number)
        self._failures.set(counts.failures)
        self._decisions.set(counts.decisions)
        self._faults.set(counts.faults)
        return generate_latest(self._registry)
