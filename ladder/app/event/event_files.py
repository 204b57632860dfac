"""The files of an event: its TOML, the list of its entrants, the results so far."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import pydantic
from pydantic import Field

from ladder.app.text_file import text_of
from ladder.errors import UserError
from ladder.events.entrants import STAND_IN, PlayedRound, TableResult, is_stand_in
from ladder.events.event_file import parse_entrants, parse_event
from ladder.events.legs import game_deals
from ladder.events.scoring import oriented
from ladder.values.events import MAX_BEACON_VALUE
from ladder.values.held_events import EVENT_FILE_BYTES, MAX_NUMBER
from ladder.values.text import counted
from ladder.values.value import Value
from pigpen.rules import PRESETS
from referee.records.framing import shortened
from referee.records.rules_file import load_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ladder.events.course import NextRound
    from ladder.events.entrants import Entrant, Table
    from ladder.values.events import Event
    from pigpen.rules import Rules

STAND_IN_NAME = re.compile(f"{STAND_IN}[1-9][0-9]{{0,2}}", re.ASCII)
RESULT_BYTES = 64 * 1024 * 1024
"""The most bytes of a file of results."""


Points = Annotated[int, Field(ge=-MAX_NUMBER, le=MAX_NUMBER)]


class WrittenTable(Value):
    """A table in a file of results."""

    bots: tuple[str, ...]
    boards: tuple[tuple[Points, ...], ...]
    """For each board, or the one game: the points of each bot over all rotations, as the variant counts them."""
    taken_over: tuple[str, ...] = ()
    """Bots for which the default policy has decided in the end; see `takeovers` of the event's file."""


class WrittenRound(Value):
    """A round in a file of results."""

    stage: str
    round: int
    tables: tuple[WrittenTable, ...]


_results = pydantic.TypeAdapter(tuple[WrittenRound, ...])


def read_event(path: Path) -> tuple[Event, Rules]:
    """
    Read an event's file, and the rules of its variant: a preset, or a TOML file beside it.

    Raises:
        UserError: If it cannot be read, or describes no event.
        RulesFileError: If its variant is none.
    """
    text, rules = read_event_text(path)
    return parse_event(text), rules


def read_event_text(path: Path) -> tuple[str, Rules]:
    """
    Read the text of an event's file, and the rules of its variant.

    Raises:
        UserError: If it cannot be read, or describes no event.
        RulesFileError: If its variant is none.
    """
    text = text_of(path, EVENT_FILE_BYTES)
    try:
        event = parse_event(text)
    except UserError as error:
        raise UserError(f"{path}: {error}.") from None
    own = path.parent / event.variant
    return text, load_rules(event.variant if event.variant in PRESETS else str(own))


def read_entrants(path: Path, event: Event) -> tuple[Entrant, ...]:
    """
    Read a list of entrants for an event.

    Raises:
        UserError: If it cannot be read, or is not one that the event allows.
    """
    text = text_of(path, EVENT_FILE_BYTES)
    try:
        entrants = parse_entrants(text)
    except UserError as error:
        raise UserError(f"{path}: {error}.") from None
    fewest, most = event.entrants
    if not fewest <= len(entrants) <= most:
        raise UserError(f"{path}: {counted(len(entrants), 'entrant')}; {event.name!r} is for {fewest} to {most}.")
    owners = [one.owner for one in entrants]
    for owner in dict.fromkeys(owners):
        if owners.count(owner) > event.per_owner:
            raise UserError(
                f"{path}: {owner!r} has {owners.count(owner)} bots; {event.name!r} allows {event.per_owner} of an "
                "owner."
            )
    names = {one.name for one in entrants}
    seeded = event.seeding if isinstance(event.seeding, tuple) else ()
    if unknown := [name for name in seeded if name not in names]:
        raise UserError(f"{path}: there is no {unknown[0]!r}, which the event's seeding names.")
    return entrants


def read_results(path: Path, event: Event, rules: Rules, entrants: Sequence[Entrant]) -> tuple[PlayedRound, ...]:
    """
    Read the results so far: a JSON list of rounds.

    Raises:
        UserError: If it cannot be read, or names a stage or a bot that is not there.
    """
    text = text_of(path, RESULT_BYTES)
    try:
        written = _results.validate_json(text, strict=True)
    except pydantic.ValidationError as error:
        detail = error.errors()[0]
        place = ".".join(map(str, detail["loc"]))
        raise UserError(f"{path}: {place + ': ' if place else ''}{shortened(detail['msg'], 200)}.") from None
    stages = {stage.name: number for number, stage in enumerate(event.stages)}
    numbers = {one.name: one.number for one in entrants}
    found = []
    for each in written:
        if each.stage not in stages:
            raise UserError(f"{path}: {event.name!r} has no stage {shortened(each.stage)!r}.")
        tables = tuple(_result(path, table, event, stages[each.stage], rules, numbers) for table in each.tables)
        found.append(PlayedRound(stages[each.stage], each.round, tables))
    return tuple(found)


def _result(
    path: Path, table: WrittenTable, event: Event, stage: int, rules: Rules, numbers: dict[str, int]
) -> TableResult:
    seated = []
    for bot in table.bots:
        if bot not in numbers and not STAND_IN_NAME.fullmatch(bot):
            raise UserError(f"{path}: no entrant is named {shortened(bot)!r}.")
        seated.append(numbers.get(bot) or -int(bot.removeprefix(STAND_IN)))
    if not table.boards or any(len(points) != len(seated) for points in table.boards):
        raise UserError(f"{path}: the table of {', '.join(table.bots)} needs boards with a number for each of them.")
    is_game = event.stages[stage].format == "game"
    deals = game_deals(rules)[1] if is_game else len(table.boards) * rules.players
    if others := [bot for bot in table.taken_over if bot not in numbers or bot not in table.bots]:
        raise UserError(f"{path}: {shortened(others[0])!r} was taken over at a table at which it is no entrant.")
    boards = tuple(oriented(points, rules) for points in table.boards)
    return TableResult(tuple(seated), boards, deals, tuple(numbers[bot] for bot in table.taken_over))


def check_results(
    path: Path,
    event: Event,
    names: Mapping[int, str],
    sides: int,
    corrected: bool,
    coming: NextRound,
    found: PlayedRound,
) -> PlayedRound:
    """
    Compare the results of a round with what was drawn: each of its tables once, over as many boards.

    Args:
        path: Their file.
        event: The event.
        names: Of the entrants, by number.
        sides: How many sit at a table.
        corrected: A result was corrected after later rounds had been drawn, so the tables may be others: then each
            bot of the round must sit at one table.
        coming: The round.
        found: Its results.

    Returns:
        The results in the order of the tables and seats that were drawn.

    Raises:
        UserError: If they are not those of the round; the message names the table.
    """
    where = f"{path}: round {coming.number} of {event.stages[coming.stage].name!r}"
    results = {frozenset(each.table): each for each in found.tables}

    def named(seated: Iterable[int]) -> str:
        return ", ".join(names.get(one, f"{STAND_IN}{-one}") for one in seated)

    if (twice := Counter(frozenset(each.table) for each in found.tables).most_common(1)) and twice[0][1] > 1:
        raise UserError(f"{where}: the table of {named(results[twice[0][0]].table)} is there twice.")
    for each in found.tables:
        boards = 1 if coming.boards is None else coming.boards
        if len(each.boards) != boards:
            played = f"{boards} board{'s' * (boards != 1)}"
            raise UserError(
                f"{where} is played over {played}; the table of {named(each.table)} has {len(each.boards)}."
            )
    if corrected:
        if why := _wrong_seats(found, coming, sides, named):
            raise UserError(f"{where}: {why}.")
        return found
    drawn = coming.draw().tables
    if unknown := results.keys() - set(map(frozenset, drawn)):
        table = next(each.table for each in found.tables if frozenset(each.table) in unknown)
        raise UserError(
            f"{where}: the table of {named(table)} is not one of those that were drawn. To see them, leave this round "
            "and all after it out. If a result was corrected after this round had been drawn, add --corrected."
        )
    if missing := [table for table in drawn if frozenset(table) not in results]:
        raise UserError(f"{where}: the table of {named(missing[0])} is missing.")
    return PlayedRound(found.stage, found.round, tuple(_seated(results[frozenset(table)], table) for table in drawn))


def _wrong_seats(
    found: PlayedRound, coming: NextRound, sides: int, named: Callable[[Iterable[int]], str]
) -> str | None:
    """Say which table or bot of a round is not at its place, whatever was drawn; None: all are."""
    seated = Counter(one for each in found.tables for one in each.table)
    for each in found.tables:
        if len(each.table) != sides or any(seated[one] > 1 for one in each.table):
            return f"a table has {sides} bots, each of them at one table; that of {named(each.table)} has not"
    if others := {one for one in seated if not is_stand_in(one)} ^ coming.entrants:
        return f"{named([min(others)])} {'does not play it' if min(others) in seated else 'sits at no table'}"
    return None


def _seated(result: TableResult, table: Table) -> TableResult:
    """Give a table's result with the bots in that order."""
    order = [result.table.index(one) for one in table]
    return replace(
        result, table=table, boards=tuple(tuple(points[place] for place in order) for points in result.boards)
    )


def read_beacon(path: Path) -> str:
    """
    Read the value of a beacon.

    Raises:
        UserError: If it cannot be read, or is too long.
    """
    return text_of(path, MAX_BEACON_VALUE)
