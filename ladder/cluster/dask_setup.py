"""Use of Dask: it knows the workers and carries messages, opens no other port, and keeps and says little."""

from __future__ import annotations

import logging
import warnings
from ssl import TLSVersion
from typing import TYPE_CHECKING, Any

import dask
from distributed import Worker
from distributed.comm.registry import backends
from distributed.security import Security

from ladder.cluster.bounded_tls import bounded_tls
from ladder.cluster.terms import TO_SCHEDULER_BYTES, TO_WORKER_BYTES

if TYPE_CHECKING:
    from ladder.cluster.certificates import Identity

CONFIGURATION = {
    "distributed.admin.low-level-log-length": 10,
    "distributed.admin.log-length": 10,
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.system-monitor.log-length": 2,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.comm.compression": False,
    "distributed.comm.require-encryption": True,
    "distributed.comm.retry.count": 0,
    "distributed.diagnostics.nvml": False,
    "distributed.scheduler.events-cleanup-delay": "1s",
    "distributed.scheduler.http.routes": [],
    "distributed.scheduler.idle-timeout": None,
    "distributed.scheduler.preload": [],
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
    Set Dask up for a scheduler's process.

    Args:
        ttl_seconds: Seconds without a message after which a worker counts as lost.
    """
    _set_up({"distributed.scheduler.worker-ttl": f"{ttl_seconds}s"})
    backends["tls"] = bounded_tls(TO_SCHEDULER_BYTES)


def set_up_worker() -> None:
    """Set Dask up for a worker's process."""
    _set_up({})
    backends["tls"] = bounded_tls(TO_WORKER_BYTES)


def _set_up(more: dict[str, object]) -> None:
    """Set Dask up at once and for good, whatever the user has set."""
    dask.config.set(CONFIGURATION | more)
    warnings.filterwarnings("ignore", module="dask|distributed|tornado")
    _hush("asyncio", "distributed", "tornado")


def _hush(*libraries: str) -> None:
    """Keep libraries from logging, also by the last resort: to them, every end of a connection is an error."""
    for name in [*libraries, *logging.Logger.manager.loggerDict]:
        if name.partition(".")[0] in libraries:
            logger = logging.getLogger(name)
            logger.handlers[:] = [logging.NullHandler()]
            logger.propagate = False


def security(identity: Identity) -> Security:
    """Give the settings of TLS on all ways, in every role, with one certificate."""
    file = str(identity.file)
    return Security(
        require_encryption=True,
        tls_ca_file=identity.authority,
        tls_client_cert=file,
        tls_min_version=TLSVersion.TLSv1_3,
        tls_scheduler_cert=file,
        tls_worker_cert=file,
    )


class NonListeningWorker(Worker):  # type: ignore[misc]
    """A worker without Dask's web server."""

    def start_http_server(self, *args: Any, **kwargs: Any) -> None:
        """Open no port."""
