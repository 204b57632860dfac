"""A site on a port of this machine, for commands that ask a remote ladder, and a user's log-in to it."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import structlog.testing
import uvicorn

from ladder.app.remote.login import FILE, Login
from ladder.serving.application import make_app
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder


PARTING = 20
"""Seconds for requests under way when a site ends: the connection of a client that was stopped may never close."""


@contextmanager
def served(ladder: Ladder) -> Iterator[str]:
    """The site of a ladder; gives its address."""
    with served_app(make_app(ladder)) as address:
        yield address


@contextmanager
def served_app(app: Any, **options: Any) -> Iterator[str]:
    """Any application on a port of its own."""
    ends = {"timeout_graceful_shutdown": PARTING}
    config = uvicorn.Config(app, port=0, log_config=None, access_log=False, ws="none", **ends | options)
    server, up = uvicorn.Server(config), threading.Event()
    started = server.startup

    async def startup(sockets: list[object] | None = None) -> None:
        await started(sockets)  # type: ignore[arg-type]
        up.set()

    server.startup = startup  # type: ignore[method-assign, assignment]
    thread = threading.Thread(target=server.run)
    thread.start()
    assert up.wait(PATIENCE)
    port = server.servers[0].sockets[0].getsockname()[1]
    scheme = "https" if config.is_ssl else "http"
    with structlog.testing.capture_logs():  # what the site logs is not what a command prints
        yield f"{scheme}://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


def log_in(folder: Path, address: str, name: str, token: str) -> dict[str, str]:
    """Write a log-in; gives the variables by which the command finds it."""
    (folder / "pigpen").mkdir(parents=True, exist_ok=True)
    (folder / "pigpen" / FILE).write_text(json.dumps(asdict(Login(address, name, token))))
    return {"XDG_CONFIG_HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
