"""A small HTTP client that asks at a steady rate, whether answers come or not, and takes the time of each answer."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

IDLE_SECONDS = 3.0
"""A connection that was not used for longer is given up: the site closes it after 5 s."""
LIMIT = 2**20
"""Bytes of a line at most."""


@dataclass
class Taken:
    """Durations and sizes of some requests."""

    milliseconds: list[float] = field(default_factory=list)
    """From the moment at which a request was due to the last byte of its answer."""
    statuses: set[int] = field(default_factory=set)
    size: int = 0
    """Bytes of all bodies, as they were sent."""

    def quantile(self, part: float) -> float:
        """Find what *part* of the requests stayed below, in milliseconds."""
        return sorted(self.milliseconds)[int(part * (len(self.milliseconds) - 1))]


class Connection:
    """A connection to a site that is kept open."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str) -> None:
        self._reader = reader
        self._writer = writer
        self._host = host

    async def ask(self, path: str, headers: Mapping[str, str]) -> tuple[int, dict[str, str], int]:
        """Ask for a path; the status, the headers and the size of the body."""
        lines = [f"GET {path} HTTP/1.1", f"Host: {self._host}", "Accept-Encoding: gzip"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self._writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        named = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
        size = int(named.get("content-length", 0))
        await self._reader.readexactly(size)
        return int(head[0].split()[1]), named, size

    async def close(self) -> None:
        """Close it."""
        self._writer.close()
        with suppress(ConnectionError):
            await self._writer.wait_closed()


class Load:
    """Requests to one site, over as many connections as are needed at once."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self._free: list[tuple[Connection, float]] = []
        """And when each was last used, the newest last."""

    async def ask(self, path: str, headers: Mapping[str, str] | None = None) -> tuple[int, dict[str, str], int]:
        """Ask for a path over a connection that is not in use."""
        connection = await self._take()
        answer = await connection.ask(path, headers or {})
        self._free.append((connection, time.monotonic()))
        return answer

    async def steadily(self, paths: Sequence[str], rate: float, headers: Mapping[str, str] | None = None) -> Taken:
        """
        Ask for each path when it is due.

        Args:
            paths: One after the other.
            rate: Requests a second; a slow answer does not delay the next request.
            headers: Of each request.
        """
        taken, began = Taken(), time.perf_counter()

        async def one(path: str, due: float) -> None:
            status, _, size = await self.ask(path, headers)
            taken.milliseconds.append(1000 * (time.perf_counter() - due))
            taken.statuses.add(status)
            taken.size += size

        async with asyncio.TaskGroup() as tasks:
            for number, path in enumerate(paths):
                due = began + number / rate
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                tasks.create_task(one(path, due))
        return taken

    async def as_fast_as_possible(self, paths: Sequence[str], at_once: int) -> float:
        """Ask for all paths, some at once, and give the seconds that took."""
        waiting, began = iter(paths), time.perf_counter()

        async def work() -> None:
            for path in waiting:
                await self.ask(path)

        await asyncio.gather(*(work() for _ in range(at_once)))
        return time.perf_counter() - began

    async def glance(self, path: str, until: bytes) -> None:
        """Open a stream of events over a connection of its own, read as far as *until*, and drop it."""
        reader, writer = await asyncio.open_connection(self._host, self._port, limit=LIMIT)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {self._host}\r\n\r\n".encode())
        await reader.readuntil(until)
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    async def close(self) -> None:
        """Close all connections."""
        while self._free:
            await self._free.pop()[0].close()

    async def _take(self) -> Connection:
        """Give one that is not in use and that the site has not closed yet, or a new one."""
        if self._free and time.monotonic() - self._free[-1][1] < IDLE_SECONDS:
            return self._free.pop()[0]
        await self.close()
        reader, writer = await asyncio.open_connection(self._host, self._port, limit=LIMIT)
        return Connection(reader, writer, f"{self._host}:{self._port}")
