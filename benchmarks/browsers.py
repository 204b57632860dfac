"""People at tables, for benchmarks: browsers that follow links, take in streams of states, and answer questions."""

from __future__ import annotations

import asyncio
import random
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Sequence

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
