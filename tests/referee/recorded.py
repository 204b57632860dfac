"""Small records, with every kind of step in them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from pigpen.rules import PRESETS
from referee.match.formats import DEFAULT_CLOCK, Format, MatchSpec, person_clock
from referee.records.file import RecordWriter
from referee.seats.verdict import Exit, SeatFailure, Verdict
from tests.referee.scripted_seats import AbsentSeat, PersonsSeat, ScriptedSeat, fails, honest
from tests.referee.tables import play_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pigpen.rules import Rules
    from referee.records.lines import AnyLine
    from referee.seats.seat import Seat

SEED = bytes(range(32))
OF_VERSION_1 = Path(__file__).with_name("version_1.jsonl")
"""A record written when bots were still asked for forced cards: 4 deals of hearts, the fourth bot is taken over."""


def match_lines(
    rules: str | Rules = "hearts",
    form: str = "deals:2",
    make_seats: Callable[[int], list[Seat]] | None = None,
    seed: bytes = SEED,
) -> list[AnyLine]:
    """The lines of a match; of honest bots, unless others are made for each table."""
    variant = PRESETS[rules] if isinstance(rules, str) else rules
    names = tuple(f"bot{seat}" for seat in range(variant.players))
    spec = MatchSpec(variant, names, Format.parse(form), DEFAULT_CLOCK, seed)
    make_seats = make_seats or honest_seats
    lines: list[AnyLine] = []
    tables = [make_seats(variant.players) for _ in range(spec.format.tables(variant))]
    asyncio.run(play_tables(spec, tables, lines.append))
    return lines


def lines_with_a_person(form: str = "deals:2") -> list[AnyLine]:
    """Of a person who answers in time once, three times does not, and is then away, among honest bots."""
    spec = MatchSpec(
        PRESETS["hearts"], ("human", "b", "c", "d"), Format.parse(form), seed=SEED, people={0: person_clock(700.0)}
    )
    seat = PersonsSeat(lambda view: honest(view) if view.decision == 1 else SeatFailure(Verdict.TIMEOUT, "late"))
    lines: list[AnyLine] = []
    asyncio.run(play_tables(spec, [[seat, *honest_seats(3)]], lines.append))
    return lines


def honest_seats(players: int) -> list[Seat]:
    """Bots that play the first legal card."""
    return [ScriptedSeat(honest) for _ in range(players)]


def faulty_seats(players: int) -> list[Seat]:
    """One bot that is taken over after three faults, one that is not there, honest ones, one that ends."""
    bad = ScriptedSeat(fails(Verdict.MALFORMED, "it cannot be read"))
    end = Exit(137, oom=True)
    hog = ScriptedSeat(lambda view: SeatFailure(Verdict.GONE, str(end), end))
    return [bad, AbsentSeat(), *honest_seats(players - 3), hog]


def write_record(path: Path, lines: Iterable[AnyLine]) -> Path:
    """Write *lines* to a new file."""
    with RecordWriter.create(path) as writer:
        for line in lines:
            writer.write(line)
    return path
