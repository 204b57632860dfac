"""Events of tests: files, entrants, and rounds with results of chance."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from ladder.events.course import Course, NextRound
from ladder.events.entrants import Entrant, Lots, PlayedRound, TableResult
from ladder.events.event_file import parse_event
from pigpen.rules import PRESETS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ladder.events.draws import Draw
    from ladder.events.entrants import Table
    from ladder.values.events import Event

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "events"
SEED = bytes(32)


def example(name: str) -> Event:
    return parse_event((EXAMPLES / f"{name}.toml").read_text("utf-8"))


def event(*stages: dict[str, Any], **fields: Any) -> Event:
    from ladder.values.events import Event

    plain = {"name": "Test", "variant": "gongzhu", "entrants": (2, 200)} | fields
    return Event.model_validate(plain | {"stages": stages})


def entrants(count: int, owners: int | None = None) -> list[Entrant]:
    return [
        Entrant(number, f"bot{number}", f"owner{number % (owners or count)}", 1500.0 + number)
        for number in range(1, count + 1)
    ]


def played(number: NextRound, tables: tuple[Table, ...], rng: Random, levels: int = 7) -> PlayedRound:
    """Results by chance; with few *levels* many are level."""
    boards = number.boards or 1

    def points() -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(rng.randrange(levels) for _ in tables[0]) for _ in range(boards))

    return PlayedRound(number.stage, number.number, tuple(TableResult(table, points(), 4 * boards) for table in tables))


def run(
    of: Event, field: list[Entrant], seed: int = 1, levels: int = 7, left: Mapping[int, int] | None = None
) -> tuple[list[tuple[NextRound, Draw]], list[PlayedRound], Course]:
    """Play a whole event by chance; give its rounds, their draws, and the results."""
    course = Course(of, PRESETS[of.variant], field, Lots.of(SEED, field), left or {})
    rng, rounds, results = Random(seed), course.rounds(), list[PlayedRound]()
    drawn: list[tuple[NextRound, Draw]] = []
    following = next(rounds)
    while True:
        draw = following.draw()
        drawn.append((following, draw))
        results.append(played(following, draw.tables, rng, levels))
        try:
            following = rounds.send(results[-1])
        except StopIteration:
            return drawn, results, course
