"""How Dask is used here: it carries tasks and watches connections, opens no other port, and keeps and says little."""

from __future__ import annotations

import warnings
from ssl import TLSVersion
from typing import TYPE_CHECKING, Any

import dask
from distributed import Client, Worker
from distributed.comm.registry import backends
from distributed.security import Security

from ladder.cluster.bounded_tls import bounded_tls
from ladder.cluster.silence import hush
from ladder.cluster.terms import TO_SCHEDULER_BYTES, TO_WORKER_BYTES

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
    "distributed.scheduler.idle-timeout": None,
    "distributed.scheduler.no-workers-timeout": None,
    "distributed.scheduler.preload": [],
    "distributed.scheduler.work-stealing": False,
    "distributed.worker.http.routes": [],
    "distributed.worker.lifetime.duration": None,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.terminate": False,
    "distributed.worker.preload": [],
    "distributed.worker.profile.enabled": False,
}


def set_up_scheduler(ttl_seconds: float) -> None:
    """
    Set Dask up for a scheduler's process: nothing that comes from another machine is unpickled.

    Args:
        ttl_seconds: Seconds without a message after which a worker counts as lost.
    """
    _set_up({"distributed.scheduler.worker-ttl": f"{ttl_seconds}s"})
    backends["tls"] = bounded_tls(TO_SCHEDULER_BYTES, is_plain=True)


def set_up_worker() -> None:
    """Set Dask up for a worker's process; it believes its scheduler."""
    _set_up({})
    backends["tls"] = bounded_tls(TO_WORKER_BYTES, is_plain=False)


def _set_up(more: dict[str, object]) -> None:
    """Whatever the user has set, at once and for good."""
    dask.config.set(CONFIGURATION | more)
    warnings.filterwarnings("ignore", module="dask|distributed|tornado")
    hush("asyncio", "distributed", "tornado")


def security(identity: Identity) -> Security:
    """TLS on all ways, in every role, with one certificate."""
    file = str(identity.file)
    return Security(
        require_encryption=True,
        tls_ca_file=identity.authority,
        tls_client_cert=file,
        tls_min_version=TLSVersion.TLSv1_3,
        tls_scheduler_cert=file,
        tls_worker_cert=file,
    )


class NonListeningClient(Client):  # type: ignore[misc]
    """A client that does not listen: `Dispatcher` takes the results of tasks, and nothing is unpickled here."""

    def _handle_key_in_memory(self, *args: Any, **kwargs: Any) -> None:
        """Its type is a pickle of the worker's."""

    def _handle_task_erred(self, *args: Any, **kwargs: Any) -> None:
        """Its exception is a pickle of the worker's."""

    async def _handle_event(self, *args: Any, **kwargs: Any) -> None:
        """Dask's topic of warnings holds pickles."""


class NonListeningWorker(Worker):  # type: ignore[misc]
    """A worker without Dask's web server."""

    def start_http_server(self, *args: Any, **kwargs: Any) -> None:
        """Open no port."""
