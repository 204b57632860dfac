"""What an organiser can do with an event before it is run: write its file, check it, draw a round, simulate it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.event.files import STAND_IN, read_entrants, read_event, read_results, write_new
from ladder.errors import UserError
from ladder.events.advice import Pace, checked
from ladder.events.recommended import new_file
from ladder.sandbox.bots.bot_source import sample_names
from ladder.values.events import DrawnTable, EventDraw, EventPlace
from pigpen.rules.shuffle import seed_from
from referee.records.rules_file import load_rules

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ladder.events.course import Standings
    from ladder.events.entrants import Entrant
    from ladder.values.events import EventCheck


def new_event(path: Path, variant: str, entrants: int, deals: int) -> None:
    """
    Write the file of an event in the format that is recommended for so many entrants and deals.

    Raises:
        UserError: If it is there already, or no event can have so many entrants.
        RulesFileError: If there is no such variant.
    """
    write_new(path, new_file(load_rules(variant), entrants, deals))


def check_event(path: Path, pace: Pace) -> EventCheck:
    """
    Say what is wrong or unwise about an event's file.

    Raises:
        UserError: If it cannot be read as an event at all; the message names the field.
        RulesFileError: If its variant is none.
    """
    event, rules = read_event(path)
    return checked(event, rules, sample_names(), pace)


def draw_round(path: Path, entrants_file: Path, seed: str, results: Path | None) -> EventDraw:
    """
    Draw the next round of an event, or give all places at its end.

    Args:
        path: The event's file.
        entrants_file: The list of its entrants.
        seed: The event's seed, as `seed_from` reads it.
        results: The rounds so far; None: none.

    Raises:
        UserError: If a file cannot be read, or the file is wrong.
        RulesFileError: If its variant is none.
    """
    from ladder.events.course import Course, NextRound  # takes long to import
    from ladder.events.lots import Lots, entrants_hash

    found = check_event(path, Pace())
    if found.wrong:
        raise UserError(f"{path}: {found.wrong[0]}")
    event, rules = read_event(path)
    entrants = read_entrants(entrants_file, event)
    played = read_results(results, event, rules, entrants) if results else ()
    lots = Lots.of(seed_from(seed), entrants)
    following = Course(event, rules, entrants, lots).next_round(played)
    names = {one.number: one.name for one in entrants}
    if not isinstance(following, NextRound):
        return EventDraw(
            event=event.name, entrants_hash=entrants_hash(entrants), stage=event.stages[-1].name, round=0, kind="over",
            format="", tables=(), cost=(0, 0, 0), bound=(0, 0, 0), method="order", criteria=following.criteria,
            standings=_rows(following, names),
        )  # fmt: skip
    draw, standings = following.draw(), following.standings()
    words = ("stage", following.stage, "round", following.number, "table")
    tables = tuple(
        DrawnTable(
            number=number,
            bots=tuple(names.get(one, f"{STAND_IN}{-one}") for one in table),
            seed=lots.seed(*words, number).hex(),
        )
        for number, table in enumerate(draw.tables, 1)
    )
    return EventDraw(
        event=event.name,
        entrants_hash=entrants_hash(entrants),
        stage=event.stages[following.stage].name,
        round=following.number,
        kind=following.kind,
        format="game" if following.boards is None else f"boards:{following.boards}",
        tables=tables,
        cost=draw.cost,
        bound=draw.bound,
        method=draw.method,
        criteria=standings.criteria,
        standings=_rows(standings, names),
    )


def _rows(standings: Standings, names: dict[int, str]) -> tuple[EventPlace, ...]:
    return tuple(
        EventPlace(place=row.place, name=names[row.number], values=row.values, why=row.why) for row in standings.rows
    )


def strongest_first(entrants: Sequence[Entrant]) -> list[Entrant]:
    """
    Give the entrants in the order of their ratings.

    Raises:
        UserError: If one has none.
    """
    if missing := next((one for one in entrants if one.rating is None), None):
        raise UserError(f"{missing.name!r} has no rating; give one to each entrant, or leave the list out.")
    return sorted(entrants, key=lambda one: -(one.rating or 0))
