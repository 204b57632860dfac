"""A site with tables that are really played, all in the test's own event loop, and the browsers of people there."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import asynccontextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

import httpx

from ladder.matches.bots import InlineBots
from ladder.matches.people import play_with_people
from ladder.results.table_files import TableFiles
from ladder.sandbox.bots.bot_source import find_bot
from ladder.site.connection import Patience
from ladder.site.listening import listen
from ladder.site.server import make_server
from ladder.store.commands.tables import claim_tables, finish_table, give_back_table, note_seats
from ladder.store.queries.tables import chairs_of
from ladder.store.table_models import PeopleTable
from ladder.values.person_state import PersonState
from referee.match.formats import Format
from referee.match.spec import DEFAULT_CLOCK, MatchSpec, person_clock
from referee.records.file import RecordWriter
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from typing import Self

    from ladder.app.ladder import Ladder
    from ladder.store.commands.tables import TableLease

CSRF = re.compile(r'name="csrf" value="([0-9a-f]*)"')
HOLDER = "the test"


class TablesHere:
    """Plays every table that is ready; one that is killed begins anew."""

    def __init__(self, ladder: Ladder) -> None:
        self._ladder = ladder
        self._playing: dict[int, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Look for tables until cancelled."""
        try:
            while True:
                with self._ladder.database.write() as session:
                    leases = claim_tables(session, HOLDER, 0.0, 1e12, 100)
                for lease in leases:
                    self._playing[lease.table] = asyncio.ensure_future(self._play(lease))
                await asyncio.sleep(0.01)
        finally:
            for table in list(self._playing):
                await self.kill(table)

    async def kill(self, table: int) -> None:
        """End the process of a table."""
        task = self._playing.pop(table)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    async def _play(self, lease: TableLease) -> None:
        with self._ladder.database.read() as session:
            row = session.get_one(PeopleTable, lease.table)
            chairs = chairs_of(session, lease.table)
            rules, names = rules_from(row.rules), tuple(chair.name for chair in chairs)
            people = [chair.chair for chair in chairs if chair.kind == "person"]
            spec = MatchSpec(
                rules, names, Format.parse(row.format), DEFAULT_CLOCK, bytes.fromhex(row.seed),
                dict.fromkeys(people, person_clock(row.seconds)),
            )  # fmt: skip
        bots = InlineBots([find_bot(names[chair.chair]) for chair in chairs if chair.kind == "house"])
        path = TableFiles(self._ladder.settings.data_dir).folder(lease.table) / "record.jsonl"
        try:
            path.unlink(missing_ok=True)
            with RecordWriter.create(path) as writer:
                sits = {person: self._sit_of(lease, person) for person in people}
                played = await play_with_people(spec, bots, sits, writer.write)
            results = played.result.results
            with self._ladder.database.write() as session:
                finish_table(session, lease, [each.total for each in results], [each.place for each in results], 1.0)
        finally:
            with self._ladder.database.write() as session:
                give_back_table(session, lease, 1.0)

    def _sit_of(self, lease: TableLease, person: int) -> Callable[[int, str, str], Any]:
        @asynccontextmanager
        async def sit(table: int, address: str, token: str) -> AsyncIterator[None]:
            with self._ladder.database.write() as session:
                note_seats(session, lease, {person: (address, token)})
            yield

        return sit


class TableBrowser:
    """The browser of a person: keeps cookies, opens tables, answers."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.client = httpx.AsyncClient(base_url=base, timeout=30)
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

    async def post(self, what: str, headers: dict[str, str] | None = None, **said: Any) -> httpx.Response:
        """Say something as the page's script does."""
        given = {"Origin": self.base} if headers is None else headers
        return await self.client.post(f"{self.path}/{what}", json=said, headers=given)

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
                self.received += len(line) + 1
                if line.startswith('data: {"number"'):
                    yield PersonState.model_validate(json.loads(line[6:]), strict=False)
                elif line == "event: stop":
                    return

    async def until(self, condition: Callable[[PersonState], object]) -> PersonState:
        """The first state of which that is true."""
        async with asyncio.timeout(30):
            async for state in self.states():
                if condition(state):
                    return state
        raise AssertionError("the stream has stopped")

    async def play(self, until: Callable[[PersonState], object] = lambda state: False) -> PersonState:
        """Answer whatever is asked until something is true, or the table is over."""
        last = None
        answered = -1
        async with asyncio.timeout(60):
            async for state in self.states():
                last = state
                if until(state):
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
        return " ".join(question.legal.split()[: question.count])
    return {"play": (question.legal.split() or [""])[0], "expose": "", "moon": "add"}[question.kind]


@asynccontextmanager
async def site_here(ladder: Ladder, plays: bool = True) -> AsyncIterator[str]:
    """Serve a ladder's site in this loop, and play its tables; its address."""
    server = make_server(ladder, None, Patience())
    server.capture_signals = nullcontext  # type: ignore[assignment, method-assign]
    tables = asyncio.ensure_future(TablesHere(ladder).run()) if plays else None
    with listen("127.0.0.1", 0) as listener:
        serving = asyncio.ensure_future(server.serve([listener]))
        try:
            async with asyncio.timeout(30):
                while not server.started:
                    await asyncio.sleep(0.005)
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            await serving
            if tables:
                tables.cancel()
                with suppress(asyncio.CancelledError):
                    await tables
