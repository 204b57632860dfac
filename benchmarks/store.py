"""
Cost of the ladder's store when it has grown: 1,000 bots, 1,000,000 matches, in SQLite and in PostgreSQL.

`python -m benchmarks.store` makes such a ladder in a minute or so; `--bots 100 --matches 20000` makes a small one. The
second database is a copy of the first (`pigpen db copy`), on a server of its own with PostgreSQL's own settings, which
answers when a transaction is on the disk. Where the server's programs are missing, SQLite is measured alone.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import func, insert, select, text

from benchmarks.generated_ladder import SEATS, VARIANT, generate
from benchmarks.report import show, spread
from ladder.matches.inline_match import play_inline
from ladder.results.summary import MatchSummary, summarise
from ladder.sandbox.bots.bot_source import find_bot
from ladder.settings.settings import load_settings, read_url
from ladder.store import models
from ladder.store.commands import estimates
from ladder.store.commands.copying import copy_ladder
from ladder.store.commands.opening import open_ladder
from ladder.store.commands.results import record_summary
from ladder.store.database import Database
from ladder.store.queries.bot_page import bot_page
from ladder.store.queries.head_to_head import head_to_head
from ladder.store.queries.matches import results
from ladder.store.queries.standings import standings
from pigpen.rules import PRESETS, seed_from
from pigpen.rules.shuffle import commitment
from referee.match.formats import DEFAULT_CLOCK, Format, MatchSpec
from tests.ladder import postgres

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sqlalchemy.orm import Session

    from ladder.settings.settings import Settings
    from referee.records.lines import AnyLine

PLAYERS = ("cautious", "random", "counting", "random")
SEED = seed_from("store")
OPPONENTS, NEWEST = 50, 50
RESULTS = 2000
"""Transactions that are timed."""
ROUNDS = 20
BATCH = RESULTS // ROUNDS
SAFE = ("dynamic_shared_memory_type=mmap",)
"""Settings of PostgreSQL under which every commit is on the disk."""
Row = tuple[str, str, str, str]
"""Subject, wall time, CPU time, bar."""


@dataclass
class Watch:
    """Takes the time of a thing again and again: on the wall, and what the processor worked for it."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    @contextmanager
    def once(self) -> Iterator[None]:
        """Take it once, in seconds."""
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.wall.append(time.perf_counter() - wall)
        self.cpu.append(time.process_time() - cpu)

    def row(self, what: str, bar: str) -> Row:
        """Make a row of milliseconds."""
        wall, cpu = (spread([1000 * each for each in times]) for times in (self.wall, self.cpu))
        return what, wall, cpu, bar

    def rates(self, what: str, bar: str, count: int) -> Row:
        """Make a row of how many of *count* things a second."""
        wall, cpu = (spread([count / each for each in times]) for times in (self.wall, self.cpu))
        return what, wall, cpu, bar


def timed(database: Database, what: str, bar: str, query: Callable[[Session, int], object], bots: Sequence[int]) -> Row:
    """Ask a query about one bot after the other, each time in a transaction of its own."""
    watch = Watch()
    for bot in bots:
        with watch.once(), database.read() as session:
            query(session, bot)
    return watch.row(what, bar)


def queries(database: Database, bots: Sequence[int]) -> list[Row]:
    """Measure what people look at."""

    def variant(session: Session) -> models.Variant:
        return session.get_one(models.Variant, VARIANT)

    def history(session: Session, bot: int) -> object:
        seat, match = models.StoredSeat, models.StoredMatch
        wanted = select(match.finished, seat.rating_after).join_from(seat, match, match.id == seat.match_id)
        return session.execute(wanted.where(seat.version_id == bot).order_by(seat.match_id)).all()

    asked: list[tuple[str, str, Callable[[Session, int], object]]] = [
        ("standings, the first 50", "≤ 5 ms", lambda session, _: standings(session, variant(session), first=50)),
        ("standings, all bots", "", lambda session, _: standings(session, variant(session))),
        (
            "a bot's page, 50 opponents",
            "≤ 20 ms",
            lambda session, bot: bot_page(session, session.get_one(models.Version, bot), OPPONENTS),
        ),
        ("head to head, all opponents", "", lambda session, bot: head_to_head(session, VARIANT, bot, 10**6)),
        ("the newest 50 matches", "", lambda session, _: results(session, NEWEST)),
        ("the newest 50 of a variant", "", lambda session, _: results(session, NEWEST, VARIANT)),
        ("the newest 50 of a bot", "", lambda session, bot: results(session, NEWEST, versions=[bot])),
        ("a bot's rating after each match", "", history),
    ]
    return [timed(database, what, bar, query, bots) for what, bar, query in asked]


def estimate(database: Database) -> Row:
    """Measure all ratings estimated anew, from reading the pairs to writing ± and ranks."""
    watch = Watch()
    for _ in range(5):
        with watch.once():
            estimates.refresh(database, VARIANT)
    return watch.row("fits of places and points: read, fitted, written", "≤ 2,500 ms")


def lines_of_a_match() -> Sequence[AnyLine]:
    """Play a match of one board with sample bots, and give its record."""
    lines: list[AnyLine] = []
    spec = MatchSpec(PRESETS[VARIANT], PLAYERS, Format.parse("boards:1"), DEFAULT_CLOCK, SEED)
    asyncio.run(play_inline(spec, [find_bot(name) for name in PLAYERS], lines.append))
    return lines


def lease_matches(database: Database, bots: Sequence[int], count: int) -> range:
    """Lease matches that are being played, each of four bots."""
    chance = random.Random(7)
    with database.write() as session:
        first = 1 + (session.scalar(select(func.max(models.StoredMatch.id))) or 0)
        matches = range(first, first + count)
        clock, secret = asdict(DEFAULT_CLOCK), {"seed": SEED.hex(), "commitment": commitment(SEED)}
        for each in matches:
            session.add(models.StoredMatch(id=each, variant=VARIANT, format="boards:1", clock=clock, added=0.0,
                                     started=0.0, status=models.Status.LEASED, attempt=1, **secret))  # fmt: skip
        session.flush()
        session.execute(
            insert(models.StoredSeat),
            [
                {"match_id": each, "seat": seat, "version_id": bot}
                for each in matches
                for seat, bot in enumerate(chance.sample(bots, SEATS))
            ],
        )
    return matches


def record(database: Database, matches: Sequence[int], summary: MatchSummary) -> None:
    """Record results as the runner does: the record is worked through before the transaction begins."""
    for match in matches:
        with database.write() as session:
            assert record_summary(session, match, 1, summary, 0.0)


def write_rows(database: Database, count: int) -> None:
    """Write a row into a table of its own, in such a transaction each."""
    for number in range(count):
        with database.write() as session:
            session.execute(text("INSERT INTO bare VALUES (:number)"), {"number": number})


class Writing:
    """Transactions that write, each on the disk when it ends."""

    def __init__(self, database: Database, bots: Sequence[int]) -> None:
        self._database = database
        self._matches = lease_matches(database, bots, RESULTS)
        self._recorded, self._bare = Watch(), Watch()
        with database.write() as session:
            session.execute(text("CREATE TABLE IF NOT EXISTS bare (number INTEGER)"))

    def once(self, number: int, summary: MatchSummary) -> None:
        """Take the time of one round."""
        with self._recorded.once():
            record(self._database, self._matches[number * BATCH : (number + 1) * BATCH], summary)
        with self._bare.once():
            write_rows(self._database, BATCH)

    def rows(self) -> list[Row]:
        """Make the rows of what came out."""
        return [
            self._recorded.rates("results recorded a second, a transaction each", "≥ 500", BATCH),
            self._bare.rates("transactions of one bare row a second", "", BATCH),
        ]


def writing(databases: Iterable[Database], bots: Sequence[int]) -> tuple[Row, list[list[Row]]]:
    """Measure results recorded in one database and in the other, by turns; and what a result takes before that."""
    lines, worked = lines_of_a_match(), Watch()
    all_writing = [Writing(each, bots) for each in databases]
    for number in range(ROUNDS):
        with worked.once():
            summary = summarise(lines)
        for each in all_writing:
            each.once(number, summary)
    return worked.row("a record of one board worked through", ""), [each.rows() for each in all_writing]


@contextmanager
def copied(ladder: Database, settings: Settings) -> Iterator[dict[str, Database]]:
    """Yield the ladder, and a copy in PostgreSQL if there is any, by the names of the databases."""
    if postgres.programs() is None:
        yield {"SQLite": ladder}
        return
    with postgres.running_server(SAFE) as server:
        watch, url = Watch(), read_url(server.url("postgres"))
        with watch.once():
            done = copy_ladder(ladder, url, lambda holder, are_all_here: True, lambda session: time.time())
        rows = sum(table.rows for table in done.tables)
        print(f"pigpen db copy: {rows:,} rows in {watch.wall[0]:.0f} s ({watch.cpu[0]:.0f} s of CPU time)")
        copy = open_ladder(settings.model_copy(update={"database_url": server.url("postgres")}))
        yield {"SQLite": ladder, "PostgreSQL": copy}
        copy.close()


def measured(databases: dict[str, Database], bots: int) -> list[tuple[str, ...]]:
    """Make a row for each thing: what it is, the times of each database, the bar."""
    sample = random.Random(8).sample(range(1, bots + 1), min(20, bots))
    looked = [[estimate(each), *queries(each, sample)] for each in databases.values()]
    worked, written = writing(databases.values(), range(1, bots + 1))
    columns = [[*rows, worked, *more] for rows, more in zip(looked, written, strict=True)]
    return [
        (row[0][0], *(time for _, wall, cpu, _ in row for time in (wall, cpu)), row[0][3])
        for row in zip(*columns, strict=True)
    ]


def main(bots: int, matches: int, folder: Path | None) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as temporary:
        settings = load_settings(data_dir=folder or Path(temporary))
        file = settings.data_dir / "ladder.db"
        if not file.exists():
            settings.data_dir.mkdir(parents=True, exist_ok=True)
            generate(file, bots, matches)
        size = file.stat().st_size / 1024**2
        ladder = open_ladder(settings)
        with copied(ladder, settings) as databases:
            rows = measured(databases, bots)
        ladder.close()
    times = [f"{name}, {clock}" for name in databases for clock in ("by the wall", "by CPU time")]
    show(
        f"A ladder of {bots:,} bots and {matches:,} matches ({size:,.0f} MiB)",
        ("ms, or how many a second", *times, "bar"),
        rows,
    )


def arguments() -> argparse.Namespace:
    """Read what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, default=1000)
    parser.add_argument("--matches", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="where the generated ladder is kept, and found again")
    return parser.parse_args()


if __name__ == "__main__":
    main(**vars(arguments()))
