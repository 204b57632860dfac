"""
Dask's scheduler, for workers that may lie: it takes from another machine what a worker has to say, and nothing else.

To Dask, all who come over the network are friends: they may become clients, let functions run in the scheduler, speak
for each other, and end each other's tasks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from distributed import Scheduler

if TYPE_CHECKING:
    from collections.abc import Mapping

    from distributed.comm import Comm

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
