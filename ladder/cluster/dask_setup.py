"""How Dask is used here: it carries tasks and watches connections, opens no other port, and keeps and says little."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dask
from distributed import Scheduler, Worker
from distributed.comm.registry import backends
from distributed.security import Security

from ladder.cluster.bounded_tls import bounded_tls
from ladder.cluster.silence import hush

if TYPE_CHECKING:
    from ladder.cluster.certificates import Identity

CONFIGURATION = {
    "distributed.admin.low-level-log-length": 10,
    "distributed.admin.log-length": 10,
    "distributed.admin.large-graph-warning-threshold": "1GiB",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.system-monitor.log-length": 2,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.comm.compression": False,
    "distributed.comm.require-encryption": True,
    "distributed.comm.retry.count": 0,
    "distributed.diagnostics.computations.max-history": 1,
    "distributed.diagnostics.erred-tasks.max-history": 1,
    "distributed.diagnostics.nvml": False,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.events-cleanup-delay": "1s",
    "distributed.scheduler.http.routes": [],
    "distributed.scheduler.preload": [],
    "distributed.scheduler.work-stealing": False,
    "distributed.worker.http.routes": [],
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.terminate": False,
    "distributed.worker.preload": [],
    "distributed.worker.profile.enabled": False,
}


def set_up(most_bytes: int, ttl_seconds: float | None = None) -> None:
    """
    Set Dask up for this process, whatever the user has set; at once and for good.

    Args:
        most_bytes: No message that comes is longer.
        ttl_seconds: A worker that is not heard of for so long has gone; only a scheduler needs that.
    """
    ttl = {} if ttl_seconds is None else {"distributed.scheduler.worker-ttl": f"{ttl_seconds}s"}
    dask.config.set(CONFIGURATION | ttl)
    backends["tls"] = bounded_tls(most_bytes)
    hush("asyncio", "distributed", "tornado")


def security(identity: Identity) -> Security:
    """TLS on all ways, in every role, with one certificate."""
    file = str(identity.file)
    return Security(
        require_encryption=True,
        tls_ca_file=identity.authority,
        tls_client_cert=file,
        tls_scheduler_cert=file,
        tls_worker_cert=file,
    )


class PortlessScheduler(Scheduler):  # type: ignore[misc]
    """A scheduler without Dask's web server."""

    def start_http_server(self, *args: Any, **kwargs: Any) -> None:
        """Open no port."""


class PortlessWorker(Worker):  # type: ignore[misc]
    """A worker without Dask's web server."""

    def start_http_server(self, *args: Any, **kwargs: Any) -> None:
        """Open no port."""
