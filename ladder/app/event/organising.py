"""An organiser's work on an event before it is run: write its file, check it, draw a round, simulate it."""

from __future__ import annotations

import math
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.app.event.event_files import check_results, read_entrants, read_event, read_results
from ladder.app.new_file import write_new
from ladder.errors import UserError
from ladder.events.advice import Pace, checked, new_file
from ladder.events.entrants import STAND_IN
from ladder.events.legs import sides_of
from ladder.sandbox.bots.bot_source import sample_names
from ladder.values.events import DrawnTable, EventDraw, EventPlace, EventSimulation
from pigpen.rules.shuffle import seed_from
from referee.records.framing import shortened
from referee.records.rules_file import load_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.events.course import Standings
    from ladder.events.entrants import Entrant
    from ladder.values.events import Chances, Event, EventCheck


TEXT_BEACON = "text"
"""Address of a beacon that is given as text."""


def new_event(path: Path, variant: str, entrants: int, deals: int) -> None:
    """
    Write the file of an event in the format that is recommended for that number of entrants and deals.

    Raises:
        UserError: If it is there already, or no event can have that many entrants.
        RulesFileError: If there is no such variant.
    """
    write_new(path, [new_file(load_rules(variant), entrants, deals).encode()])


def check_event(path: Path, pace: Pace) -> EventCheck:
    """
    Say what is wrong or unwise about an event's file.

    Raises:
        UserError: If it cannot be read as an event at all; the message names the field.
        RulesFileError: If its variant is none.
    """
    event, rules = read_event(path)
    return checked(event, rules, sample_names(), pace)


def draw_round(
    path: Path,
    entrants_file: Path,
    seed: str,
    results: Path | None,
    left: Sequence[str] = (),
    *,
    corrected: bool = False,
    beacon: str = "",
) -> EventDraw:
    """
    Draw the next round of an event, or give all places at its end.

    Args:
        path: The event's file.
        entrants_file: The list of its entrants.
        seed: The event's seed, as `seed_from` reads it.
        results: The rounds so far; None: none.
        left: Bots that have left, as `NAME:N`: N rounds of the event had been played then.
        corrected: A result was corrected after later rounds had been drawn, so their tables may be others than the
            results now give.
        beacon: Text that no one knew before the list was final; empty: none.

    Raises:
        UserError: If a file cannot be read, or the file is wrong, or no bot has that name, or the results are not
            those of the tables that were drawn.
        RulesFileError: If its variant is none.
    """
    from ladder.events.course import Course, NextRound  # takes long to import
    from ladder.events.entrants import Contributions, Lots, entrants_hash

    event, rules = read_event(path)
    if wrong := checked(event, rules, sample_names(), Pace()).wrong:
        raise UserError(f"{path}: {wrong[0]}")
    entrants = read_entrants(entrants_file, event)
    played = read_results(results, event, rules, entrants) if results else ()
    lots = Lots.of(seed_from(seed), entrants, Contributions({}, TEXT_BEACON, beacon) if beacon else None)
    names = {one.number: one.name for one in entrants}
    check = partial(check_results, results, event, names, sides_of(rules), corrected) if results else None
    following = Course(event, rules, entrants, lots, _left(left, names)).next_round(played, check)
    if not isinstance(following, NextRound):
        return EventDraw(
            event=event.name, entrants_hash=entrants_hash(entrants), stage=event.stages[-1].name, round=0, kind="over",
            format="", tables=(), cost=(0, 0, 0), bound=(0, 0, 0), method="order", criteria=following.criteria,
            standings=_rows(following, names, event),
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
        standings=_rows(standings, names, event),
    )


def _left(left: Sequence[str], names: dict[int, str]) -> dict[int, int]:
    """Give for each number the rounds after which its bot has left."""
    numbers, found = {name: number for number, name in names.items()}, {}
    for each in left:
        name, _, rounds = each.rpartition(":")
        if name not in numbers or not re.fullmatch("[0-9]{1,4}", rounds):
            raise UserError(f"{shortened(each)!r} is not NAME:N with the name of an entrant and a number of rounds.")
        found[numbers[name]] = int(rounds)
    return found


def _rows(standings: Standings, names: dict[int, str], event: Event) -> tuple[EventPlace, ...]:
    return tuple(row.shown(names, event) for row in standings.rows)


def simulate_events(
    paths: Sequence[Path], entrants: int | Path | None, events: int, seed: int, pace: Pace
) -> EventSimulation:
    """
    Simulate an event, the recommended format with as many deals, and others that it is compared with.

    All are simulated with the same strengths.

    Args:
        paths: The event's file first.
        entrants: How many, with strengths that are drawn; or a list with ratings. None: the most that the event allows.
        events: How many events are simulated of each format.
        seed: The same seed gives the same figures.
        pace: How quickly matches are played.

    Raises:
        UserError: If a file cannot be read or is wrong, or an entrant has no rating.
        RulesFileError: If a variant is none.
    """
    import numpy as np

    from ladder.events import simulation
    from ladder.events.advice import plan_of, recommended_event

    read = [(path, *read_event(path)) for path in paths]
    for path, event, rules in read:
        if wrong := checked(event, rules, sample_names(), pace).wrong:
            raise UserError(f"{path}: {wrong[0]}")
    _, first, rules = read[0]
    listed = read_entrants(entrants, first) if isinstance(entrants, Path) else None
    count = len(listed) if listed else entrants if isinstance(entrants, int) else first.entrants[1]
    for path, event, _ in read:
        if not event.entrants[0] <= count <= event.entrants[1]:
            raise UserError(
                f"{path}: {event.name!r} is for {event.entrants[0]} to {event.entrants[1]} entrants, not {count}."
            )
    if listed:
        strengths = np.tile([one.rating or 0.0 for one in strongest_first(listed)], (events, 1))
    else:
        strengths = simulation.drawn_strengths(events, count, np.random.default_rng(seed))
    best = recommended_event(rules, count, plan_of(first, count, rules, pace).deals)
    formats = [(event.name if len(read) == 1 else path.name, event, own) for path, event, own in read]
    found = [
        (name, simulation.simulate(event, own, strengths, pace, np.random.default_rng([seed, 1])))
        for name, event, own in [*formats, ("recommended", best, rules)]
    ]
    chances = [each.chances(name) for name, each in found]
    names = [one.name for one in strongest_first(listed)] if listed else []
    return EventSimulation(
        entrants=count,
        formats=tuple(chances[:-1]),
        recommended=chances[-1],
        recommendation=recommendation(chances[0], chances[-1], best),
        each=found[0][1].each(names) if listed else (),
    )


def recommendation(own: Chances, best: Chances, event: Event) -> str:
    """Say whether the recommended format is better than the file's."""
    stages = ", then ".join(
        f"{stage.name.lower()} ({stage.format or f'{stage.deals} of the deals'})" for stage in event.stages
    )
    error = math.hypot(own.best_wins_error, best.best_wins_error)
    if best.best_wins > own.best_wins + 2 * error:
        return (
            f"With as many deals, {stages} finds the best bot more often: {best.best_wins:.2f} to {own.best_wins:.2f}."
        )
    return f"The recommended format, {stages}, finds the best bot no more often than this one."


def strongest_first(entrants: Sequence[Entrant]) -> list[Entrant]:
    """
    Give the entrants in the order of their ratings.

    Raises:
        UserError: If one has none.
    """
    if missing := next((one for one in entrants if one.rating is None), None):
        raise UserError(f"{missing.name!r} has no rating; give one to each entrant, or leave the list out.")
    return sorted(entrants, key=lambda one: -(one.rating or 0))
