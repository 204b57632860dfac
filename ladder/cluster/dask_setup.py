"""
The use of Dask: it knows the workers and carries messages, opens no other port, and keeps and logs little.

To Dask, all who come over the network are friends: they may become clients, let functions run in the scheduler, speak
for each other, and end each other's tasks. `StrictScheduler` is its scheduler for workers that may lie: it takes from
another machine what a worker has to say, and nothing else.

`bounded_tls` is TLS as Dask speaks it, for a side that trusts no other: a message that is too long is refused before it
is read, and only numbers, text, lists and dictionaries are read. Nothing is unpickled.

`why_not` checks that a worker has the same Python and the same Dask as its scheduler: they speak as their versions do.
"""

from __future__ import annotations

import logging
import platform
import ssl
import struct
import warnings
from ssl import TLSVersion
from typing import TYPE_CHECKING, Any

import dask
import distributed
import msgpack
from distributed import Scheduler, Worker
from distributed.comm.core import CommClosedError
from distributed.comm.registry import backends
from distributed.comm.tcp import TLS, TLSBackend, TLSConnector, TLSListener, convert_stream_closed_error, read_bytes_rw
from distributed.protocol.utils import unpack_frames
from distributed.security import Security
from tornado.iostream import StreamClosedError

from ladder.cluster.terms import TO_SCHEDULER_BYTES, TO_WORKER_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from distributed.comm import Comm

    from ladder.cluster.certificates import Identity


class _BoundedTLS(TLS):  # type: ignore[misc]
    """A connection that ends when the other side announces a message that is too long, or sends more than data."""

    max_bytes: int
    stream: Any
    """None: the connection has ended."""

    async def read(self, deserializers: Any = None) -> Any:
        """Read a message; as `TLS.read` does, which checks nothing."""
        if self.stream is None:
            raise CommClosedError
        try:
            (length,) = struct.unpack("Q", await self.stream.read_bytes(8))
            if length > self.max_bytes:
                raise ValueError(f"a message of {length} bytes is too long")
            return plain(await read_bytes_rw(self.stream, length))
        except (StreamClosedError, ssl.SSLError) as error:
            self.stream = None
            self._closed = True
            convert_stream_closed_error(self, error)
        except (ValueError, TypeError, EOFError, RecursionError, AssertionError, struct.error) as error:
            self.abort()
            raise CommClosedError(f"{self.peer_address} sends what cannot be read: {error}") from None
        except BaseException:
            self.abort()
            raise


def bounded_tls(max_bytes: int) -> TLSBackend:
    """
    Make Dask's way of TLS with a bound.

    Args:
        max_bytes: No message is longer.
    """
    comm = type("BoundedTLS", (_BoundedTLS,), {"max_bytes": max_bytes})
    backend = TLSBackend()
    backend._connector_class = type("Connector", (TLSConnector,), {"comm_class": comm})
    backend._listener_class = type("Listener", (TLSListener,), {"comm_class": comm})
    return backend


def plain(message: bytes | memoryview) -> Any:
    """
    Read a message of one frame. Dask puts everything else, such as a pickle, into frames of its own.

    Raises:
        ValueError: If it has more frames, or is no message.
        struct.error: If it is no message.
    """
    frames, missing = unpack_frames(message, partial=True)
    if len(frames) != 1 or missing:
        raise ValueError("it holds what is not plain")
    return msgpack.unpackb(frames[0], use_list=False, strict_map_key=False)


NAMES = {"python": "Python", "dask": "Dask", "distributed": "Dask distributed"}


def why_not(versions: Any) -> str | None:
    """
    Say why a worker with these versions cannot work here; None: it can.

    Args:
        versions: As Dask's workers report them; of Python, only the first two numbers count.
    """
    ours = {"python": platform.python_version(), "dask": dask.__version__, "distributed": distributed.__version__}
    try:
        theirs = {name: str(versions["packages"][name]) for name in ours}
    except (LookupError, TypeError):
        return "it does not say which versions of Python and Dask it has."
    for name, version in ours.items():
        here, there = _part(name, version), _part(name, theirs[name])[:40]
        if here != there:
            return f"it has {NAMES[name]} {there}, and the coordinator has {here}. Install the same on both machines."
    return None


def _part(name: str, version: str) -> str:
    return ".".join(version.split(".")[:2]) if name == "python" else version


NOTHING: dict[str, Any] = {"nanny": "", "services": {}, "resources": {}, "extra": {}, "host_info": None}
"""Fields that no worker of ours sends when it connects; Dask's scheduler would connect to where `nanny` says."""
NEWS = frozenset({"keep-alive", "log-event", "worker-status-change"})
"""Messages that a worker may send on its stream; others are ignored."""


class StrictScheduler(Scheduler):  # type: ignore[misc]
    """A scheduler without tasks, clients and Dask's web server."""

    handlers: dict[str, Any]

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.handlers = {"register-worker": self._take_worker, "heartbeat_worker": self.heartbeat_worker}

    def start_http_server(self, *args: Any, **settings: Any) -> None:
        """Open no port."""

    async def handle_stream(self, comm: Comm, extra: dict[str, Any] | None = None) -> None:
        """Take what comes on a worker's stream."""
        try:
            while not comm.closed():
                for message in await comm.read():
                    self._take_news(message, extra or {})
        except (OSError, LookupError, TypeError, ValueError, AttributeError, AssertionError):
            pass  # it has ended, or sends what is no message
        finally:
            comm.abort()

    def _take_news(self, message: dict[str, Any], extra: Mapping[str, Any]) -> None:
        operation = message.pop("op")
        if operation in NEWS:
            # In Dask what is sent goes before `extra`, which says who sends it.
            self.stream_handlers[operation](**{**message, **extra})

    async def _take_worker(self, comm: Comm, **message: Any) -> None:
        await self.add_worker(comm, **(message | NOTHING))


SILENT_SECONDS = 30
"""Seconds without an answer of the other machine's kernel after which a connection has ended, on both sides."""
CONFIGURATION = {
    "distributed.admin.low-level-log-length": 10,
    "distributed.admin.log-length": 10,
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.system-monitor.log-length": 2,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.comm.compression": False,
    "distributed.comm.require-encryption": True,
    "distributed.comm.retry.count": 0,
    "distributed.comm.timeouts.tcp": f"{SILENT_SECONDS}s",
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
