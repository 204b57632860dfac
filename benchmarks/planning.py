"""
Cost of choosing and queueing one more match on ladders of more and more bots: CPU time of its transaction.

    python -m benchmarks.planning
    python -m benchmarks.planning --bots 10 100 1000 10000

Each ladder is generated (as for benchmarks/site.py) with 20 matches for each bot, and removed in the end. One match is
scheduled at a time. In a ladder that plays, one of those that wait then ends, any of them: its result is recorded, so
that 20 wait. *after a withdrawal* one is taken out of the queue instead, as when a bot is replaced: all that wait must
be counted anew. What is kept in memory until the next estimate (`ladder.store.commands.knowledge`) is there before the
first figure. 10,000 bots take
minutes, most of them for the estimate, and several GiB. *planned* is the choice alone, of one of ten matches that are
planned together. The exponent e says that the cost grew as the number of bots to the power of e, from one ladder to
the next.
"""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import delete, func, select, update

from benchmarks.generated_ladder import VARIANT, generate
from benchmarks.machine import machine
from benchmarks.pages import exponent
from benchmarks.part_runner import HEADINGS, WORDS, parser_of
from benchmarks.report import Part, Row, sections, show, spread
from ladder.pairing.scheduler import next_matches
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.commands import estimates
from ladder.store.commands.knowledge import fields_of, knowledge_of
from ladder.store.commands.opening import open_ladder
from ladder.store.commands.scheduling import fill_queue

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from ladder.settings.settings import Settings

BOTS = (10, 100, 1000)
MATCHES_OF_A_BOT = 20
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


def of_a_ladder(rounds: int, folder: Path, bots: int) -> dict[str, list[float]]:
    """Measure on one ladder, which is made for it."""
    settings, chance = load_settings(data_dir=folder), random.Random(5)
    generate(folder / "ladder.db", bots, MATCHES_OF_A_BOT * bots)
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


def rows(found: dict[int, dict[str, list[float]]]) -> list[Row]:
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


def measure(rounds: int, bots: Sequence[int] = BOTS) -> list[Row]:
    """Measure on a ladder of each number of bots."""
    found = {}
    for count in bots:
        with tempfile.TemporaryDirectory() as folder:
            found[count] = of_a_ladder(rounds, Path(folder), count)
    return rows(found)


def main(options: argparse.Namespace) -> None:
    """Measure and print."""
    show(machine(), HEADINGS, *sections({PART.name: measure(options.rounds, options.bots)}), words=WORDS)


PART = Part("planning", __doc__, measure, rounds=21)

if __name__ == "__main__":
    parser = parser_of(__doc__, PART.rounds)
    parser.add_argument("--bots", type=int, nargs="+", default=BOTS, help="of each ladder")
    main(parser.parse_args())
