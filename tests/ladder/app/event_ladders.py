"""Ladders with events for tests, whose matches are played in no time by bots that play the first legal card."""

from __future__ import annotations

import asyncio
import random
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Thread
from typing import TYPE_CHECKING

from ladder.app.event import holding
from ladder.runner.coordinator import Coordinator
from ladder.values.accounts import LOCAL
from ladder.worker.match_tasks import MatchOutcome
from pigpen.bot import Bot, decide
from pigpen.rules import PRESETS
from referee.records.file import PackedRecord
from referee.seats.verdict import Verdict
from tests.ladder.ladders import enter
from tests.ladder.virtual import Time, recorded, runtime_of
from tests.referee.scripted_seats import ScriptedSeat, fails
from tests.referee.tables import play_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ladder.app.ladder import Ladder
    from ladder.worker.match_tasks import MatchTask
    from pigpen.rules import Card
    from pigpen.values.view import View

FILE = """
[event]
name = "Small cup"
variant = "gongzhu"
entrants = [4, 16]
show = "{show}"

[[stage]]
name = "Round robin"
kind = "round-robin"
rounds = 2
format = "boards:1"

[[stage]]
name = "Final"
kind = "final"
format = "boards:2"
play_off = "boards:1"
"""


def seeds_in_order() -> Callable[[], bytes]:
    """Give the same seeds and nonces, one after the other, on each ladder that gets such a function."""
    numbers = count()
    return lambda: next(numbers).to_bytes(32, "big")


def open_cup(
    ladder: Ladder, bots: int = 8, *, file: str = FILE.format(show="live"), name: str = "cup", variant: str = "gongzhu"
) -> None:
    """Open an event and enter bots of an owner each: Bot 1, Bot 2, …; its stand-in is on the ladder, too."""
    with ladder.database.write() as session:
        enter(session, "house-counting", variant, owner="house-counting")
        for number in range(1, bots + 1):
            enter(session, f"Bot-{number}", variant)
    holding.open_event(ladder, LOCAL, name, file, PRESETS[variant])
    for number in range(1, bots + 1):
        holding.enter(ladder, LOCAL, name, f"Bot-{number}")


def started_cup(ladder: Ladder, bots: int = 8, **options: str) -> None:
    """The same, and start it: its first round is drawn."""
    open_cup(ladder, bots, **options)
    name = options.get("name", "cup")
    holding.freeze(ladder, LOCAL, name)
    holding.start(ladder, LOCAL, name)


def coordinator_of(ladder: Ladder, time: Time) -> Coordinator:
    """A coordinator of that ladder."""
    settings = ladder.settings.model_copy(update={"boards": 1})
    return Coordinator(ladder.database, settings, random.Random(7), time, tick=time)


def play(
    coordinator: Coordinator, rounds: int, answer: Callable[[MatchTask], MatchOutcome] = recorded, at_once: int = 4
) -> list[MatchTask]:
    """Take matches in that many rounds and record them; give the tasks."""
    tasks = []
    for _ in range(rounds):
        taken = coordinator.take(at_once)
        for task in taken:
            coordinator.record(task, answer(task))
        tasks += taken
    return tasks


class OwnWay(Bot):
    """Plays the legal card that its name says, so that bots differ."""

    def __init__(self, name: str) -> None:
        self.choice = sum(name.encode())

    def play(self, view: View) -> Card:
        return view.legal[self.choice % len(view.legal)]


def own_ways(task: MatchTask, sinner: str = "") -> MatchOutcome:
    """The outcome of a match of bots that play each in its own way, but for the one of that name, which fails."""
    record, spec = PackedRecord(), task.spec()
    tables = [
        [
            ScriptedSeat(
                fails(Verdict.MALFORMED, "it cannot be read") if name == sinner else partial(decide, OwnWay(name))
            )
            for name in spec.bots
        ]
        for _ in range(spec.format.tables(spec.rules))
    ]
    asyncio.run(play_tables(spec, tables, record.write, runtime=runtime_of(task)))
    return MatchOutcome(match=task.match, attempt=task.attempt, record=bytes(record))


@contextmanager
def answering(*answers: tuple[int, bytes]) -> Iterator[str]:
    """An address on this machine that gives its answers, status and body, in order; the last one stays."""
    left = list(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = left.pop(0) if len(left) > 1 else left[0]
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/there"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
