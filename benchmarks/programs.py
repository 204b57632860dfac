"""
Programs of Pigpen that run beside a benchmark, what they use, and the visitors who keep them busy.

Visitors are a small HTTP client that asks at a steady rate, whether answers come or not, and takes the time of each
answer; and people at tables, whose browsers follow links, take in streams of states, and answer questions.
"""

from __future__ import annotations

import asyncio
import os
import random
import resource
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from ladder.sandbox.process import forked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Process:
    """A program that runs."""

    name: str
    pid: int

    @property
    def memory(self) -> float:
        """MiB that are in memory."""
        return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * resource.getpagesize() / 2**20

    @property
    def cpu(self) -> float:
        """Seconds of CPU time so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS


def dying_with_us(*words: str | Path) -> list[str]:
    """Let a program, named by its whole path, be killed when this process ends in any way; only for the main thread."""
    return forked.dying_with_us([*map(str, words)])


@contextmanager
def running(words: Sequence[str], folder: Path, name: str, settings: Mapping[str, str]) -> Iterator[Process]:
    """Run ``pigpen WORDS`` meanwhile, with a ladder in that folder and with settings from the environment."""
    where = {"PIGPEN_DATA_DIR": str(folder), **settings}
    with (folder / f"{words[-1]}.err").open("wb") as errors:
        program = subprocess.Popen(
            dying_with_us(sys.executable, "-m", "ladder.cli.entry", *words), env=os.environ | where, stderr=errors,
            stdout=subprocess.DEVNULL, cwd=folder,
        )  # fmt: skip
    try:
        yield Process(name, program.pid)
    finally:
        program.terminate()
        program.wait()


def free_port() -> int:
    """Find a port at which no program listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


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


MAX_SECONDS = 20.0
"""Seconds after which a card that is not shown counts as lost."""


@dataclass
class Seen:
    """Measurements of a browser, in milliseconds."""

    answered: list[float] = field(default_factory=list)
    """From before a POST to its answer."""
    shown: list[float] = field(default_factory=list)
    """To the card on the other chair."""
    refused: int = 0


class Browser:
    """A person's browser: one stream, and one connection for what the person sends."""

    def __init__(self, port: int, name: str, secret: str) -> None:
        self._port = port
        self._name = name
        self._secret = secret
        self._cookie = ""
        self._posting: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.state: dict[str, Any] = {}
        self.news = asyncio.Event()
        self.first = asyncio.Event()
        """Set when cards are shown."""
        self._waited: dict[str, asyncio.Future[float]] = {}

    async def come(self) -> None:
        """Follow the link of the chair."""
        status, headers = await self._ask("GET", f"/play/{self._name}?seat={self._secret}")
        assert status == 303, status
        self._cookie = headers["set-cookie"].partition(";")[0]

    async def watch(self) -> None:
        """Take in the states of the stream, until it ends."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        writer.write(self._request("GET", f"/play/{self._name}/stream", b""))
        try:
            while line := await reader.readline():
                if line.startswith(b'data: {"number"'):
                    self.state = orjson.loads(line[6:])
                    if self.state["moment"]:
                        self.first.set()
                    self.news.set()
                    self._look()
        finally:
            writer.close()

    def shows(self, card: str) -> asyncio.Future[float]:
        """Await a state that shows the card."""
        return self._waited.setdefault(card, asyncio.get_running_loop().create_future())

    def _look(self) -> None:
        for card in [each for each in self._waited if _shows(self.state, each)]:
            waiting = self._waited.pop(card)
            if not waiting.done():
                waiting.set_result(time.perf_counter())

    async def post(self, what: str, body: dict[str, Any]) -> int:
        """POST a JSON body; give the status of the answer."""
        status, _ = await self._ask("POST", f"/play/{self._name}/{what}", orjson.dumps(body))
        return status

    async def _ask(self, method: str, path: str, body: bytes = b"") -> tuple[int, dict[str, str]]:
        first = b""
        while not first:  # the site closes a connection that has not been used for some seconds
            if self._posting is None:
                self._posting = await asyncio.open_connection("127.0.0.1", self._port)
            reader, writer = self._posting
            writer.write(self._request(method, path, body))
            with suppress(ConnectionError):
                first = await reader.readline()
            if not first:
                writer.close()
                self._posting = None
        status = int(first.split()[1])
        headers = {}
        while line := (await reader.readline()).strip():
            name, _, value = line.decode().partition(": ")
            headers[name.lower()] = value
        await reader.readexactly(int(headers.get("content-length", 0)))
        return status, headers

    def _request(self, method: str, path: str, body: bytes) -> bytes:
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nCookie: {self._cookie}\r\n"
            f"Origin: http://127.0.0.1:{self._port}\r\nSec-Fetch-Site: same-origin\r\nAccept-Encoding: identity\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body


class PlayedTable:
    """Two people at a table, who play as long as it is measured."""

    def __init__(self, browsers: Sequence[Browser], think: float, seen: Seen, chance: random.Random) -> None:
        self._browsers = browsers
        self._think = think
        self._seen = seen
        self._chance = chance

    async def play(self) -> None:
        """Play until cancelled."""
        async with asyncio.TaskGroup() as people:
            for browser, other in zip(self._browsers, reversed(self._browsers), strict=True):
                people.create_task(self._person(browser, other))

    async def _person(self, browser: Browser, other: Browser) -> None:
        done: set[tuple[int, int] | tuple[str, int]] = set()
        while True:
            await browser.news.wait()
            browser.news.clear()
            state = browser.state
            if (result := state["result"]) and ("result", result["deal"]) not in done:
                done.add(("result", result["deal"]))
                await self._pause()
                await browser.post("presence", {"state": "ready", "deal": result["deal"]})
            elif (question := state["question"]) and (question["decision"], 0) not in done:
                done.add((question["decision"], 0))
                await self._pause()
                if not await self._answer(browser, other, question):
                    done.discard((question["decision"], 0))
                    browser.news.set()

    async def _pause(self) -> None:
        await asyncio.sleep(self._think * self._chance.uniform(0.5, 1.5))

    async def _answer(self, browser: Browser, other: Browser, question: dict[str, Any]) -> bool:
        """Answer, and say whether that counts."""
        action = _action(question)
        began = time.perf_counter()
        shown = other.shows(action) if question["kind"] == "play" else None
        status = await browser.post("answer", {"decision": question["decision"], "action": action})
        self._seen.answered.append((time.perf_counter() - began) * 1000)
        self._seen.refused += status != 204
        if shown and status == 204:
            with suppress(TimeoutError):
                self._seen.shown.append((await asyncio.wait_for(shown, MAX_SECONDS) - began) * 1000)
        return status == 204


def _shows(state: dict[str, Any], card: str) -> bool:
    last = state["last_trick"]
    return card in state["moment"]["cards"].split() or (last is not None and card in last["cards"].split())


def _action(question: dict[str, Any]) -> str:
    legal = question["legal"].split()
    if question["kind"] == "pass":
        return " ".join(legal[: question["count"]])
    return {"play": legal[0] if legal else "", "expose": "", "moon": "add"}[question["kind"]]
