"""A site with tables that are really played, all in the test's own event loop, and the browsers of people there."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

import httpx

from ladder.app.overview import tables_are_played
from ladder.people.playing.table_run import COMING_SECONDS
from ladder.people.playing.table_work import PAUSE_SECONDS, play_tables
from ladder.serving.web_server import make_server
from ladder.site.server.event_streams import MAX_STREAMS
from ladder.site.server.listening import listen
from ladder.site.server.visitor_connection import Timeouts
from ladder.values.person_state import PersonState
from referee.replay.table_view import card_names
from tests.ladder.computing_here import computing_here
from tests.waiting import PATIENCE, comes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from typing import Self

    from ladder.app.ladder import Ladder

CSRF = re.compile(r'name="csrf" value="([0-9a-f]*)"')


class TablesHere:
    """The process that plays tables, in this loop; it can be started anew."""

    def __init__(self, ladder: Ladder, coming_seconds: float, pause_seconds: float) -> None:
        self._ladder = ladder
        self._pause_seconds = pause_seconds
        self._coming_seconds = coming_seconds
        self._run = self._start()

    async def stop(self) -> None:
        """End it."""
        self._run.cancel()
        with suppress(asyncio.CancelledError):
            await self._run

    async def start_again(self) -> None:
        """End it, and start another one."""
        await self.stop()
        self._run = self._start()

    def _start(self) -> asyncio.Future[None]:
        coming, pause = self._coming_seconds, self._pause_seconds
        return asyncio.ensure_future(play_tables(self._ladder, coming_seconds=coming, pause_seconds=pause))


class TableBrowser:
    """The browser of a person: keeps cookies, opens tables, answers."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.client = httpx.AsyncClient(base_url=base, timeout=PATIENCE)
        self.name = ""
        self.received = 0
        """Bytes of streams."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.aclose()

    @property
    def path(self) -> str:
        return f"/play/{self.name}"

    @property
    def seat(self) -> str:
        """The secret of the chair."""
        return next(
            each.value or ""
            for each in self.client.cookies.jar
            if each.name == "pigpen_seat" and each.path == self.path
        )

    async def send(self, page: str, action: str, **fields: str) -> httpx.Response:
        """Send a form of a page."""
        found = CSRF.search((await self.client.get(page)).text)
        form = ({"csrf": found[1]} if found else {}) | fields
        return await self.client.post(action, data=form, headers={"Origin": self.base})

    async def open(self, **fields: str) -> str:
        """Open a table; its name."""
        variant = fields.get("variant", "hearts-short")
        response = await self.send(f"/play?variant={variant}", "/play", **{"variant": variant} | fields)
        assert response.status_code == 303, response.text
        self.name = response.headers["location"].rpartition("/")[2]
        return self.name

    async def come(self, link: str) -> None:
        """Open the link of an invitation."""
        response = await self.client.get(link)
        assert response.status_code == 303, response.text
        self.name = response.headers["location"].rpartition("/")[2]

    async def post(self, what: str, headers: dict[str, str] | None = None, **body: Any) -> httpx.Response:
        """Say something as the page's script does."""
        given = {"Origin": self.base} if headers is None else headers
        return await self.client.post(f"{self.path}/{what}", json=body, headers=given)

    async def computed(self, ask: Callable[[], Awaitable[httpx.Response]]) -> httpx.Response:
        """Give the answer once all that it takes has been computed."""
        async with asyncio.timeout(PATIENCE):
            while True:
                response = await ask()
                if response.status_code != 202 and "<being-computed>" not in response.text:
                    return response
                await asyncio.sleep(0.01)

    async def page(self, address: str) -> httpx.Response:
        """A page when all of it has been computed."""
        return await self.computed(lambda: self.client.get(address, follow_redirects=True))

    async def state(self) -> PersonState:
        """The table as it is now."""
        response = await self.client.get(f"{self.path}/state")
        assert response.status_code == 200, response.text
        return PersonState.model_validate_json(response.content)

    async def states(self) -> AsyncIterator[PersonState]:
        """The states of a stream, until it stops."""
        async with self.client.stream("GET", f"{self.path}/stream") as stream:
            assert stream.status_code == 200
            async for line in stream.aiter_lines():
                self.received = stream.num_bytes_downloaded
                if line.startswith('data: {"number"'):
                    yield PersonState.model_validate(json.loads(line[6:]), strict=False)
                elif line == "event: stop":
                    return

    async def until(self, condition: Callable[[PersonState], object]) -> PersonState:
        """The first state of which that is true."""
        async with asyncio.timeout(PATIENCE):
            async for state in self.states():
                if condition(state):
                    return state
        raise AssertionError("the stream has stopped")

    async def play(self, until: Callable[[PersonState], object] = lambda state: False) -> PersonState:
        """Answer whatever is asked until something is true, or the table is over and its record is there."""
        last = None
        answered = -1
        async with asyncio.timeout(PATIENCE):
            async for state in self.states():
                last = state
                if until(state) or (state.over and state.over.verify and not state.result):
                    return state
                if state.result:
                    await self.post("presence", state="ready", deal=state.result.deal)
                elif state.question and state.question.decision > answered:
                    answered = state.question.decision
                    response = await self.post("answer", decision=answered, action=some_answer(state))
                    assert response.status_code == 204, response.text
        assert last
        return last


def some_answer(state: PersonState) -> str:
    """Something that may be answered."""
    question = state.question
    assert question
    if question.kind == "pass":
        return card_names(question.legal[: question.count])
    return {"play": card_names(question.legal[:1]), "expose": "", "moon": "add"}[question.kind]


@asynccontextmanager
async def tables_here(
    ladder: Ladder, coming_seconds: float = COMING_SECONDS, pause_seconds: float = PAUSE_SECONDS
) -> AsyncIterator[TablesHere]:
    """Play the tables of a ladder, with a site or without."""
    tables = TablesHere(ladder, coming_seconds, pause_seconds)
    try:
        await comes(lambda: tables_are_played(ladder))
        yield tables
    finally:
        await tables.stop()


@asynccontextmanager
async def site_here(
    ladder: Ladder,
    plays: bool = True,
    coming_seconds: float = COMING_SECONDS,
    max_streams: int = MAX_STREAMS,
    pause_seconds: float = PAUSE_SECONDS,
) -> AsyncIterator[str]:
    """Serve a ladder's site in this loop, and play its tables; its address."""
    server = make_server(ladder, None, Timeouts(), max_streams=max_streams)
    server.capture_signals = nullcontext  # type: ignore[assignment, method-assign]
    async with AsyncExitStack() as stack:
        if plays:
            await stack.enter_async_context(tables_here(ladder, coming_seconds, pause_seconds))
            await stack.enter_async_context(computing_here(ladder))
        listener = stack.enter_context(listen("127.0.0.1", 0))
        serving = asyncio.ensure_future(server.serve([listener]))
        try:
            async with asyncio.timeout(PATIENCE):
                while not server.started:
                    await asyncio.sleep(0.005)
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            await serving
