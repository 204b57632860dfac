"""A site that is really served, in a thread of this process."""

from __future__ import annotations

import threading
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import uvicorn

from ladder.serving.web_server import make_server
from ladder.site.server.listening import listen
from ladder.site.server.visitor_connection import Timeouts
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fastapi import FastAPI

    from ladder.app.ladder import Ladder
    from ladder.site.server.headers import EveryResponse
    from ladder.site.server.listening import Tls


@contextmanager
def served(
    ladder: Ladder, tls: Tls | None = None, timeouts: Timeouts | None = None, connections: int | None = None
) -> Iterator[int]:
    """Serve a ladder's site on the loopback as `pigpen serve` does; gives its port."""
    with running(make_server(ladder, tls, timeouts or Timeouts(), connections)) as port:
        yield port


@contextmanager
def running_app(app: EveryResponse, change: Callable[[FastAPI], None]) -> Iterator[int]:
    """Serve an application at a free port of the loopback, after a change to its routes."""
    change(app._app._app)  # type: ignore[attr-defined]
    with running(uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, ws="none"))) as port:
        yield port


@contextmanager
def running(server: uvicorn.Server) -> Iterator[int]:
    """Run a server in a thread, at a free port of the loopback, which is given."""
    server.capture_signals = nullcontext  # type: ignore[assignment, method-assign]
    up, startup = threading.Event(), server.startup

    async def tell(sockets: list[object] | None = None) -> None:
        await startup(sockets)  # type: ignore[arg-type]
        up.set()

    server.startup = tell  # type: ignore[assignment, method-assign]
    with listen("127.0.0.1", 0) as listener:
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            assert up.wait(PATIENCE)
            yield int(listener.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join()
