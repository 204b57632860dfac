"""Modules that `pigpen up` imports before its processes are forked, so that they share the memory of them."""

from __future__ import annotations

from ladder.app.supervisor import import_shared

MODULES = (
    "anyio._backends._asyncio",
    "anyio.streams.tls",
    "fastapi.telemetry._runtime",
    "ladder.app.computing.computing_run",
    "ladder.app.ladder_run",
    "ladder.cli.organise.run",
    "ladder.people.playing.table_work",
    "ladder.serving.web_server",
    "ladder.site.server.listening",
    "uvicorn.lifespan.on",
    "uvicorn.loops.auto",
    "uvicorn.protocols.websockets.auto",
)
"""The modules that the four commands import, also within functions, until they wait for work."""


def preload() -> None:
    """Import all that the processes have in common, and start no thread."""
    import_shared(MODULES)
