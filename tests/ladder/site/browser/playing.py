"""Tables that really play, in the site's own process: a person's seat each, with the routes that a browser asks."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from ladder.matches.bots import InlineBots
from ladder.people.playing.play_with_people import play_with_people
from ladder.people.seat.seat_client import PersonClient
from ladder.people.sessions.person_state_tracker import PersonStateTracker
from ladder.people.sessions.table_info import TableInfo
from ladder.sandbox.bots.bot_source import find_bot
from ladder.site.pages.lesson import exposable, nicknames
from ladder.values.why import Costliest
from pigpen.rules import PRESETS
from pigpen.rules.presets import HEARTS
from referee.match.formats import DEFAULT_CLOCK, Format, MatchSpec, person_clock
from referee.records.steps import parse_action
from tests.rules.table import ODD
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from fastapi import FastAPI
    from starlette.requests import Request

    from ladder.values.person_state import PersonState, Phrase
    from pigpen.rules import Rules
    from referee.records.lines import AnyLine

BRIEF = replace(
    HEARTS,
    name="brief",
    removed=("7C", *(f"{rank}{suit}" for suit in "CDSH" for rank in "23456" if rank + suit != "2C")),
)
"""Eight cards for each player, of whom everybody passes three."""
QUEEN = replace(BRIEF, name="queen", scoring=replace(HEARTS.scoring, points={"QS": 13}), moon=None)
"""Only one card counts."""
RULES = {rules.name: rules for rules in (*PRESETS.values(), *ODD, QUEEN, BRIEF)}
NAMES = ("Ada", "Bertram", "Clementine", "Dai", "Eleonora", "Fritz", "Gwendolyn", "Hao")


@dataclass
class PlayedTable:
    """A table with one person at it, and what its browsers are sent."""

    rules: Rules
    deals: int | None
    seed: bytes
    seconds: float = 600.0
    practice: bool = False
    bot: str = "cautious"
    states: list[PersonState] = field(default_factory=list)
    answers: list[dict[str, Any]] = field(default_factory=list)
    lines: list[AnyLine] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    forgets: bool = False
    """True if an answer is taken and then lost, as by a site that dies; the question is put again."""
    is_over: bool = False
    """True if its streams are to end."""

    def __post_init__(self) -> None:
        """Prepare the tracker; `play` begins."""
        self.tracker = PersonStateTracker(self._take, TableInfo({NAMES[0]: "person"}, practice=self.practice))
        self.client: PersonClient | None = None
        self.is_played = False

    def _take(self, state: PersonState) -> None:
        self.states.append(state)
        self.changed.set()
        self.changed = asyncio.Event()

    async def play(self) -> None:
        """Play the match to its end."""
        names = NAMES[: self.rules.players]
        spec = MatchSpec(
            self.rules, names, Format(self.deals), DEFAULT_CLOCK, self.seed, {0: person_clock(self.seconds)}
        )
        bots = InlineBots([find_bot(self.bot)] * (self.rules.players - 1))
        await play_with_people(spec, bots, {0: self._sit}, self.lines.append)

    @asynccontextmanager
    async def _sit(self, table: int, address: str, token: str) -> AsyncIterator[None]:
        self.client = PersonClient(self.tracker, address, token)
        self.tracker.seat = self.client
        playing = asyncio.ensure_future(self.client.play_match())
        try:
            yield
            await playing
        finally:
            playing.cancel()


class Tables:
    """All tables of a site, by name, and their routes."""

    def __init__(self) -> None:
        self.tables: dict[str, PlayedTable] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._loop: asyncio.AbstractEventLoop | None = None

    def add_to(self, app: FastAPI) -> None:
        """Add the routes of people's tables before all others."""
        routes = [
            Route("/tests/new", self.new),
            Route("/tests/play/{name}", self.page),
            Route("/tests/play/{name}/stream", self.stream),
            Route("/tests/play/{name}/state", self.state),
            Route("/tests/play/{name}/answer", self.answer, methods=["POST"]),
            Route("/tests/play/{name}/presence", self.presence, methods=["POST"]),
            Route("/tests/play/{name}/say", self.say, methods=["POST"]),
            Route("/tests/play/{name}/costliest", self.costliest),
        ]
        app.router.routes[:0] = routes

    def end(self) -> None:
        """End all tables, from another thread."""
        if self._loop is not None:
            asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(PATIENCE)

    def show(self, tracker: PersonStateTracker) -> None:
        """Send a state with what is known now, from another thread."""
        assert self._loop is not None
        self._loop.call_soon_threadsafe(tracker.show)

    async def _end(self) -> None:
        tasks, self._tasks = self._tasks, []
        for table in self.tables.values():
            table.is_over = True
            table.changed.set()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def new(self, request: Request) -> Response:
        """Begin to play."""
        asked = request.query_params
        rules = RULES[asked.get("rules", "hearts")]
        seed = bytes([int(asked.get("seed", "0"))] * 32)
        table = PlayedTable(rules, int(asked.get("deals", "0")) or None, seed, float(asked.get("seconds", "600")))
        for person in NAMES[: int(asked.get("people", "1"))]:
            table.tracker.info.kinds = {**table.tracker.info.kinds, person: "person"}
        table.practice = table.tracker.info.practice = "practice" in asked
        name = str(len(self.tables))
        self.tables[name] = table
        self._loop = asyncio.get_running_loop()
        return RedirectResponse(f"/tests/play/{name}{'?lang=' + asked['lang'] if 'lang' in asked else ''}", 303)

    async def page(self, request: Request) -> Response:
        table = self._table(request)
        values: dict[str, object] = {"base": request.url.path, "title": table.rules.title, "variant": table.rules.name}
        values |= {"exposable": exposable(table.rules), "rules_at": f"/rules/{table.rules.name}"}
        values |= {"nicknames": nicknames(table.rules), "again": False}
        response: Response = request.app.state.site.pages.fresh_page(request, "play_table.html", values)
        return response

    async def stream(self, request: Request) -> Response:
        """Give the events to a page; with the first page the game begins."""
        table = self._table(request)
        if not table.is_played:
            table.is_played = True
            self._tasks.append(asyncio.ensure_future(table.play()))
        return StreamingResponse(_events(table), media_type="text/event-stream")

    async def state(self, request: Request) -> Response:
        return JSONResponse(_json(self._table(request)))

    async def answer(self, request: Request) -> Response:
        table, body = self._table(request), await request.json()
        table.answers.append(body)
        question = table.tracker.question
        if question is None or question.view.decision != body["decision"]:
            return JSONResponse(_json(table), 409)
        if table.forgets:
            asyncio.get_running_loop().call_later(0.2, table.tracker.show)
            return Response(status_code=204)
        action = parse_action(question.view.phase.name.lower(), body["action"])
        return Response(status_code=204) if table.tracker.answer(body["decision"], action) else JSONResponse({}, 409)

    async def presence(self, request: Request) -> Response:
        table, body = self._table(request), await request.json()
        assert table.client is not None
        if body["state"] == "ready":
            table.tracker.go_on(body["deal"])
        elif body["state"] == "away":
            table.client.leave()
        elif body["state"] in ("reads", "plays"):
            table.client.read_help(is_open=body["state"] == "reads")
        else:
            table.client.come_back()
        return Response(status_code=204)

    async def say(self, request: Request) -> Response:
        table, body = self._table(request), await request.json()
        if not table.tracker.may_say:
            return JSONResponse({}, 409)
        table.tracker.show_phrase(NAMES[0], body["phrase"])
        return Response(status_code=204)

    async def costliest(self, request: Request) -> Response:
        """No decision was costly: nothing is estimated here."""
        found = Costliest(source="", bot="", decisions=1, not_estimated=0, costliest=())
        return JSONResponse(json.loads(found.model_dump_json()))

    def another_says(self, name: str, phrase: Phrase) -> None:
        """Let the person in the second chair of a table say something, from another thread."""
        assert self._loop
        self._loop.call_soon_threadsafe(self.tables[name].tracker.show_phrase, NAMES[1], phrase)

    def _table(self, request: Request) -> PlayedTable:
        return self.tables[request.path_params["name"]]


async def _events(table: PlayedTable) -> AsyncIterator[str]:
    """The newest state, and then each that comes."""
    sent = max(0, len(table.states) - 1)
    while not table.is_over:
        changed = table.changed
        for state in table.states[sent:]:
            yield f"data: {state.model_dump_json()}\n\n"
        sent = len(table.states)
        await changed.wait()


def _json(table: PlayedTable) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(table.tracker.state().model_dump_json())
    return found
