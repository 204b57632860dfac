"""Small records, with every kind of step in them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pigpen.rules import PRESETS
from referee.formats import Format
from referee.match import DEFAULT_CLOCK, MatchSpec, play_match
from referee.record_file import RecordWriter
from referee.verdict import Verdict
from tests.referee.seats import AbsentSeat, ScriptedSeat, fails, honest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from referee.record import AnyLine
    from referee.seat import Seat

SEED = bytes(range(32))


def match_lines(rules: str = "hearts", form: str = "deals:2", seats: list[Seat] | None = None) -> list[AnyLine]:
    """The lines of a match; of honest bots if no others are named."""
    variant = PRESETS[rules]
    names = tuple(f"bot{seat}" for seat in range(variant.players))
    spec = MatchSpec(variant, names, Format.parse(form), DEFAULT_CLOCK, SEED)
    lines: list[AnyLine] = []
    asyncio.run(play_match(spec, seats or [ScriptedSeat(honest) for _ in names], lines.append))
    return lines


def faulty_seats() -> list[Seat]:
    """One bot that is taken over after three faults, one that is not there, two honest ones."""
    bad = ScriptedSeat(fails(Verdict.MALFORMED, "it cannot be read"))
    return [bad, ScriptedSeat(honest), AbsentSeat(), ScriptedSeat(honest)]


def write_record(path: Path, lines: Iterable[AnyLine]) -> Path:
    """Write *lines* to a new file."""
    with RecordWriter.create(path) as writer:
        for line in lines:
            writer.write(line)
    return path
