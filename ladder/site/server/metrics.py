"""Metrics for Prometheus at `/metrics`: of the site's own requests, and of the ladder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ladder.values.cluster import ClusterFigures
    from ladder.values.reports import LadderHealth
    from ladder.values.standings import LadderCounts

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Seconds."""
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
EACH = {
    "slots": "Tasks that a worker takes at once",
    "busy": "Tasks that it has",
    "tasks": "Outcomes that it has brought",
    "voids": "Attempts that failed there",
    "lies": "Its answers that cannot be true",
}
"""Fields of a `WorkerRow`."""


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
        self._tables = Gauge("pigpen_tables", "Tables with people, by status", ["status"], registry=registry)
        self._computations = Gauge(
            "pigpen_computations", "What visitors have asked to have computed, by status", ["status"], registry=registry
        )
        self._bots = Gauge("pigpen_bots", "Entries of bots in variants, by state", ["state"], registry=registry)

    def served(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request that was served; *route* is the path with its parameters' names, empty if there is none."""
        method = method if method in METHODS else "other"  # a client may make names up, and each one would be kept
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def logged_in(self, end: str) -> None:
        """Count an attempt to log in; it was *right*, or *wrong*."""
        self._logins.labels(end).inc()

    def stream_opened(self, change: int) -> None:
        """Count a stream of live events that has been opened (1) or has ended (-1)."""
        self._streams.inc(change)

    def text(self, counts: LadderCounts, cluster: ClusterFigures, health: LadderHealth) -> bytes:
        """Write all figures in Prometheus's text format, those of the ladder and its workers as they are now."""
        for status, number in counts.matches.items():
            self._matches.labels(status).set(number)
        for state, number in counts.bots.items():
            self._bots.labels(state).set(number)
        for status, number in counts.submissions.items():
            self._submissions.labels(status).set(number)
        for status, number in counts.tables.items():
            self._tables.labels(status).set(number)
        for status, number in counts.computations.items():
            self._computations.labels(status).set(number)
        self._failures.set(counts.failures)
        self._decisions.set(counts.decisions)
        self._faults.set(counts.faults)
        workers = CollectorRegistry()  # of this answer alone: not everybody may read all of it
        workers.register(_Cluster(cluster))
        workers.register(_Health(health))
        return generate_latest(self._registry) + generate_latest(workers)


class _Health(Collector):
    """Metrics of the ladder's health; what is not known is left out."""

    def __init__(self, found: LadderHealth) -> None:
        self._found = found

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """See prometheus_client."""
        found = self._found
        for name, words, number in (
            (
                "coordinator_up",
                "1: a coordinator plays matches; 0: none has been seen for two minutes",
                found.runners > 0,
            ),
            ("coordinators", "Coordinators that play matches", found.runners),
            (
                "coordinator_silent_seconds",
                "Seconds since the last sign of life of a coordinator",
                found.silent_seconds,
            ),
            (
                "oldest_queued_seconds",
                "Seconds for which the oldest match in the queue has waited",
                found.oldest_seconds,
            ),
            (
                "oldest_computation_seconds",
                "Seconds for which the oldest question of visitors has waited to be computed",
                found.oldest_computation_seconds,
            ),
            (
                "oldest_letter_seconds",
                "Seconds for which the oldest letter of the ladder's e-mail has waited",
                found.oldest_letter_seconds,
            ),
            ("data_free_bytes", "Room on the disk of the ladder's folder", found.free_bytes),
        ):
            if number is not None:
                yield GaugeMetricFamily(f"pigpen_{name}", words, float(number))


class _Cluster(Collector):
    """The figures of the workers; what is gone leaves nothing behind."""

    def __init__(self, figures: ClusterFigures) -> None:
        self._figures = figures

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """See prometheus_client."""
        found = self._figures
        yield _family("workers", "Workers by state", "state", found.states)
        for name, words, number in (
            ("slots", "Tasks that connected workers take at once", found.slots),
            ("busy_slots", "Tasks that they have", found.busy),
            ("worker_tasks", "Outcomes that workers have brought", found.tasks),
            ("worker_voids", "Attempts that failed on workers", found.voids),
            ("worker_lies", "Answers of workers that cannot be true", found.lies),
        ):
            if number is not None:
                yield GaugeMetricFamily(f"pigpen_{name}", words, number)
        if found.workers:
            yield from self._of_each()
        if found.reasons:
            yield _family("failure_reasons", "Matches not done by why they failed last", "reason", found.reasons)

    def _of_each(self) -> Iterator[GaugeMetricFamily]:
        workers = self._figures.workers
        for name, words in EACH.items():
            yield _family(f"each_worker_{name}", words, "worker", {row.name: getattr(row, name) for row in workers})
        seen = {row.name: (self._figures.now - row.seen).total_seconds() for row in workers}
        yield _family("each_worker_silent_seconds", "Seconds since the last sign of life of a worker", "worker", seen)


def _family(name: str, words: str, label: str, numbers: Mapping[str, float]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"pigpen_{name}", words, labels=[label])
    for value, number in numbers.items():
        family.add_metric([value], number)
    return family
