"""
Costs on ladders of more and more bots, which are generated as for benchmarks/site.py and removed in the end.

    python -m benchmarks.pages pages
    python -m benchmarks.pages pages --before CHECKOUT --bots 10 100 1000 10000
    python -m benchmarks.pages planning --bots 10 100 1000 10000

*pages*: a bot's page, before and after a change, in one run. A ladder has 1,000 matches for each bot, but not more than
1,000,000. `pigpen serve` runs as it does for users. Before each figure a match begins, and for a figure no address is
asked twice, so each page is made for its request: CPU time is that of the web process, from the request to the last
byte. *kept* is a page that was asked for before. With --before a second site, of another checkout of Pigpen, serves the
same file in turn with this one.

*planning*: choosing and queueing one more match, by the CPU time of its transaction. A ladder has 20 matches for each
bot. One match is scheduled at a time. In a ladder that plays, one of those that wait then ends, any of them: its result
is recorded, so that 20 wait. *after a withdrawal* one is taken out of the queue instead, as when a bot is replaced: all
that wait must be counted anew. What is kept in memory until the next estimate (`ladder.store.commands.knowledge`) is
there before the first figure. 10,000 bots take minutes, most of them for the estimate, and several GiB. *planned* is
the choice alone, of one of ten matches that are planned together.

The exponent e says that the cost grew as the number of bots to the power of e, from one ladder to the next.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import math
import random
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import delete, func, select, update

from benchmarks.generated_ladder import VARIANT, generate
from benchmarks.part_runner import HEADINGS, WORDS, machine, parser_of
from benchmarks.report import Part, Row, ratio, sections, show, spread
from benchmarks.site import serving, worked
from ladder.pairing.scheduler import next_matches
from ladder.settings.settings import load_settings
from ladder.site.rendering.cache import REVISION_SECONDS
from ladder.store import models
from ladder.store.commands import estimates
from ladder.store.commands.knowledge import fields_of, knowledge_of
from ladder.store.commands.opening import open_ladder
from ladder.store.commands.scheduling import fill_queue

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from benchmarks.programs import Load
    from ladder.settings.settings import Settings
    from ladder.store.database import Database


BOTS = (10, 100, 1000)

MATCHES_OF_A_BOT, MAX_MATCHES = 1000, 1_000_000

MAX_ESTIMATED = 3000
"""Bots of a ladder that gets an estimate: that of many takes minutes."""

REQUESTS, WARM_UP = 100, 30
"""For one figure."""

BEFORE, NOW = "before", "now"

Figures = dict[str, dict[str, list[float]]]
"""By page and version of the site: milliseconds of CPU time for a page, a figure for each round."""


def pages(bots: int) -> dict[str, list[str]]:
    """Give by page its addresses, each of which is another answer."""
    everyone = range(1, bots + 1)
    return {
        "a bot's page": [f"/b/bot%20{number}" for number in everyone],
        "API, a bot": [f"/api/v1/bots/bot%20{number}" for number in everyone],
        "standings": [f"/v/{VARIANT}?page={number}" for number in range(1, -(-bots // 100) + 1)],
        "an owner's page": [f"/o/owner%20{number}" for number in everyone],
    }


KEPT = "the front page, kept"


def begin_match(session: Session, number: int) -> None:
    """Let a match begin, so that no answer is good any more that the site has kept; standings stay what they are."""
    match = models.StoredMatch
    begun = {"status": models.Status.LEASED, "started": float(number)}
    session.execute(update(match).where(match.id == select(func.max(match.id)).scalar_subquery()).values(begun))


async def cost(load: Load, process: int, addresses: Sequence[str]) -> float:
    """Measure the CPU time of the site for one address after the other, in milliseconds each."""
    before = worked(process)
    for address in addresses:
        status, _, _ = await load.ask(address)
        assert status == 200, (address, status)
    return (worked(process) - before) / len(addresses)


async def _measured(rounds: int, sites: dict[str, tuple[Load, int]], bots: int, database: Database) -> Figures:
    drawn, chance, numbers = pages(bots), random.Random(11), itertools.count(1)
    figures: Figures = {what: {name: [] for name in sites} for what in (*drawn, KEPT)}
    for number in range(rounds + 1):
        for what, addresses in drawn.items():
            some = chance.sample(addresses, min(len(addresses), REQUESTS if number else WARM_UP))
            with database.write() as session:
                begin_match(session, next(numbers))
            await asyncio.sleep(2 * REVISION_SECONDS)
            for name, (load, process) in sites.items():
                figures[what][name].append(await cost(load, process, some))
        for name, (load, process) in sites.items():
            await load.ask("/")
            figures[KEPT][name].append(await cost(load, process, ["/"] * REQUESTS))
    return {what: {name: values[1:] for name, values in by_site.items()} for what, by_site in figures.items()}


def of_a_ladder(rounds: int, folder: Path, bots: int, checkouts: dict[str, Path | None]) -> Figures:
    """Measure on one ladder, which is made for it."""
    settings = load_settings(data_dir=folder)
    generate(folder / "ladder.db", bots, min(MAX_MATCHES, MATCHES_OF_A_BOT * bots))
    database = open_ladder(settings)
    if bots <= MAX_ESTIMATED:
        estimates.refresh(database, VARIANT)

    async def measured() -> Figures:
        with ExitStack() as stack:
            sites = {name: stack.enter_context(serving(folder, checkout)) for name, checkout in checkouts.items()}
            figures = await _measured(rounds, sites, bots, database)
            for load, _ in sites.values():
                await load.close()
            return figures

    try:
        return asyncio.run(measured())
    finally:
        database.close()


def rows(found: dict[int, Figures]) -> list[Row]:
    """Make a row for each page, ladder and version of the site: cost, exponent, and the ratio to that of before."""
    made, sizes = [], sorted(found)
    for what in found[sizes[0]]:
        for place, bots in enumerate(sizes):
            figures = found[bots][what]
            for name, values in figures.items():
                title = f"{what}, {bots:,} bots" + (f", {name}" if len(figures) > 1 else "")
                figure = spread(values, " ms")
                if place:
                    figure += f", e {exponent(sizes[place - 1], bots, found[sizes[place - 1]][what][name], values):.2f}"
                has_other = name == NOW and BEFORE in figures
                against = (BEFORE, ratio(values, figures[BEFORE])) if has_other else ("", "")
                made.append(Row(title, figure, *against))
    return made


def exponent(fewer: int, more: int, first: Sequence[float], then: Sequence[float]) -> float:
    """
    Give the power of the number of bots by which a cost has grown.

    >>> exponent(10, 1000, [1.0], [10.0])
    0.5
    """
    return math.log(statistics.median(then) / statistics.median(first)) / math.log(more / fewer)


def measure(rounds: int, bots: Sequence[int] = BOTS, before: Path | None = None) -> list[Row]:
    """Measure on a ladder of each number of bots."""
    checkouts: dict[str, Path | None] = {NOW: None} if before is None else {BEFORE: before, NOW: None}
    found = {}
    for count in bots:
        with tempfile.TemporaryDirectory() as folder:
            found[count] = of_a_ladder(rounds, Path(folder), count, checkouts)
    return rows(found)


def checkout(text: str) -> Path:
    """Read the argument of --before."""
    folder = Path(text)
    if not (folder / "ladder" / "cli" / "entry.py").is_file():
        raise argparse.ArgumentTypeError(f"{text}: name the folder of a checkout of Pigpen")
    return folder.resolve()


PLANNED_MATCHES_OF_A_BOT = 20

WAITING, TOGETHER = 20, 10

QUEUED, AGAIN, PLANNED = "a match scheduled and queued", "the same after a withdrawal", "a match planned"


def queued_millis(session: Session, settings: Settings, chance: random.Random) -> float:
    """Measure the milliseconds of CPU time to schedule one match."""
    before = time.process_time()
    fill_queue(session, settings, chance, 0.0, 1)
    session.flush()
    return 1000 * (time.process_time() - before)


def end_one(session: Session, chance: random.Random) -> None:
    """Let one of the matches that wait have ended, as far as the choice of matches sees."""
    match = models.StoredMatch
    last = session.scalar(select(func.max(match.ordinal)).where(match.variant == VARIANT)) or 0
    ended = {"status": models.Status.DONE, "ordinal": last + 1}
    session.execute(update(match).where(match.id == _any_waiting(session, chance)).values(ended))


def withdraw_one(session: Session, chance: random.Random) -> None:
    """Take one of the matches that wait out of the queue."""
    match, seat, number = models.StoredMatch, models.StoredSeat, _any_waiting(session, chance)
    session.execute(delete(seat).where(seat.match_id == number))
    session.execute(delete(match).where(match.id == number))


def _any_waiting(session: Session, chance: random.Random) -> int:
    match = models.StoredMatch
    return chance.choice(session.scalars(select(match.id).where(match.status == models.Status.QUEUED)).all())


def planned_millis(session: Session, chance: random.Random) -> float:
    """Measure the milliseconds of CPU time to plan one of several matches."""
    field = fields_of(session)[VARIANT]
    known = knowledge_of(session, VARIANT, field, 4, 10)
    before = time.process_time()
    tables = next_matches(field.entrants, known, {}, field.rules.players, False, chance, TOGETHER)
    assert len(tables) == TOGETHER
    return 1000 * (time.process_time() - before) / TOGETHER


def planned_on_a_ladder(rounds: int, folder: Path, bots: int) -> dict[str, list[float]]:
    """Measure on one ladder, which is made for it."""
    settings, chance = load_settings(data_dir=folder), random.Random(5)
    generate(folder / "ladder.db", bots, PLANNED_MATCHES_OF_A_BOT * bots)
    database = open_ladder(settings)
    estimates.refresh(database, VARIANT, bots)
    with database.write() as session:
        took = {"starting_seconds": 2.0, "playing_seconds": 8.0 + models.StoredMatch.id % 8}
        session.execute(update(models.StoredMatch).values(took))
        fill_queue(session, settings, chance, 0.0, WAITING)
        queued_millis(session, settings, chance)
        found: dict[str, list[float]] = {QUEUED: [], AGAIN: []}
        for what, make_room in ((QUEUED, end_one), (AGAIN, withdraw_one)):
            for _ in range(rounds):
                make_room(session, chance)
                found[what].append(queued_millis(session, settings, chance))
        found[PLANNED] = [planned_millis(session, chance) for _ in range(rounds)]
    database.close()
    return found


def planning_rows(found: dict[int, dict[str, list[float]]]) -> list[Row]:
    """Make a row for each cost and ladder, with the exponent from the ladder before it."""
    made, sizes = [], sorted(found)
    for what in (QUEUED, AGAIN, PLANNED):
        for place, bots in enumerate(sizes):
            figure = spread(found[bots][what], " ms")
            if place:
                fewer = sizes[place - 1]
                figure += f", e {exponent(fewer, bots, found[fewer][what], found[bots][what]):.2f}"
            made.append(Row(f"{what}, {bots:,} bots", figure))
    return made


def measure_planning(rounds: int, bots: Sequence[int] = BOTS) -> list[Row]:
    """Measure on a ladder of each number of bots."""
    found = {}
    for count in bots:
        with tempfile.TemporaryDirectory() as folder:
            found[count] = planned_on_a_ladder(rounds, Path(folder), count)
    return planning_rows(found)


PARTS = (Part("pages", __doc__, measure, rounds=5), Part("planning", __doc__, measure_planning, rounds=21))
PAGES, PLANNING = PARTS


def main() -> None:
    """Measure what the first word names, and print."""
    part = PLANNING if sys.argv[1:2] == ["planning"] else PAGES
    parser = parser_of(__doc__, part.rounds)
    parser.add_argument("part", choices=[each.name for each in PARTS])
    parser.add_argument("--bots", type=int, nargs="+", default=BOTS, help="of each ladder")
    if part is PAGES:
        text = "another checkout of Pigpen, to compare with"
        parser.add_argument("--before", type=checkout, metavar="CHECKOUT", help=text)
    options = parser.parse_args()
    if part is PAGES:
        found = measure(options.rounds, options.bots, options.before)
    else:
        found = measure_planning(options.rounds, options.bots)
    show(machine(), HEADINGS, *sections({part.name: found}), words=WORDS)


if __name__ == "__main__":
    main()
