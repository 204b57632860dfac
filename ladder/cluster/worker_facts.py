"""A worker's report of itself and its machine."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from ladder.errors import SandboxError
from ladder.sandbox.docker.engine import ENGINE_ERRORS, connect
from ladder.sandbox.host import scratch
from ladder.sandbox.host.machine import machine_memory, this_machine
from ladder.values.cluster import WorkerFacts
from ladder.values.value import LAST_SECOND
from pigpen.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

ENGINE_SECONDS = 30.0
"""Seconds after which the Docker engine is asked again."""
MAX_RUNTIMES = 20


class Facts:
    """Collects them. What takes long is asked for now and then only."""

    def __init__(self, name: str, slots: int, images: Callable[[], tuple[int, int]] = lambda: (0, 0)) -> None:
        """
        Prepare to collect.

        Args:
            name: Of the worker.
            slots: Tasks that it takes at once.
            images: Counts the images of bots that are kept here, and their bytes.
        """
        self.name = name
        self.slots = slots
        self.leaving = False
        self.certificate_ends: float | None = None
        """Unix time. One that never expires ends in the year 9999, which a report cannot hold."""
        self._images = images
        self._machine = this_machine()
        self._engine: tuple[str, tuple[str, ...]] = ("", ())
        self._asked = float("-inf")
        self._collecting: asyncio.Task[WorkerFacts] | None = None
        self._known: WorkerFacts | None = None

    async def latest(self, patience: float) -> WorkerFacts:
        """
        Say how things are, or how they were, where it takes long to find out or cannot be; several may ask at once.

        Args:
            patience: Seconds after which what was known before is given, if anything was.

        Raises:
            SandboxError, OSError: If nothing was known before, and it cannot be found out.
        """
        if self._collecting is None or self._collecting.done():
            self._collecting = asyncio.create_task(asyncio.to_thread(self.collect))
        collecting = self._collecting
        await asyncio.wait([collecting], timeout=None if self._known is None else patience)
        if collecting.done():
            try:
                self._known = collecting.result()
            except (SandboxError, OSError):
                if self._known is None:
                    raise
        assert self._known is not None
        return self._known.model_copy(update={"clock": time.time(), "leaving": self.leaving})

    def collect(self) -> WorkerFacts:
        """Say how things are; it may wait for the Docker engine."""
        if time.monotonic() - self._asked >= ENGINE_SECONDS:
            self._engine = _ask_engine()
            self._asked = time.monotonic()
        images, image_bytes = self._images()
        engine, runtimes = self._engine
        return WorkerFacts(
            name=self.name,
            process=scratch.this_process(),
            version=__version__,
            machine=self._machine,
            memory=machine_memory(),
            engine=engine,
            runtimes=runtimes,
            slots=self.slots,
            leaving=self.leaving,
            images=images,
            image_bytes=image_bytes,
            certificate_ends=None if self.certificate_ends is None else min(self.certificate_ends, LAST_SECOND),
            clock=time.time(),
        )


def _ask_engine() -> tuple[str, tuple[str, ...]]:
    """Ask for the version and the runtimes of the Docker engine; nothing if none answers."""
    try:
        client = connect()
    except SandboxError:
        return "", ()
    try:
        info = client.info()
        version, runtimes = str(info.get("ServerVersion", "")), sorted(info.get("Runtimes") or ())
        return version[:200], tuple(name for name in runtimes if len(name) <= 200)[:MAX_RUNTIMES]
    except ENGINE_ERRORS:
        return "", ()
    finally:
        client.close()
