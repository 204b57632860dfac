"""What a connection from another machine may ask of Dask's scheduler: what a worker needs, and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from distributed import Scheduler

NEEDED = frozenset({"register-worker", "heartbeat_worker", "unregister", "identity"})
"""Orders that a worker gives; our own client asks for the last one."""


def narrow(scheduler: Scheduler) -> None:
    """
    Forget all orders but those that workers need: nobody becomes a client over the network, or runs a function here.

    Our own client has come already: it needs `register-client` once.
    """
    scheduler.handlers = {name: handler for name, handler in scheduler.handlers.items() if name in NEEDED}
