"""The files of an event: its TOML, the list of its entrants, the results so far."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pydantic

from ladder.errors import UserError
from ladder.events.entrants import STAND_IN, PlayedRound, TableResult
from ladder.events.event_file import parse_entrants, parse_event
from ladder.events.legs import game_deals
from ladder.events.scoring import oriented
from ladder.values.held_events import EVENT_FILE_BYTES
from ladder.values.value import Value
from pigpen.rules import PRESETS
from referee.records.errors import shortened
from referee.records.rules_file import load_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.events.entrants import Entrant
    from ladder.values.events import Event
    from pigpen.rules import Rules

RESULT_BYTES = 64 * 1024 * 1024
"""The most bytes of a file of results."""


class WrittenTable(Value):
    """A table in a file of results."""

    bots: tuple[str, ...]
    boards: tuple[tuple[int, ...], ...]
    """For each board, or the one game: the points of each bot over all rotations, as the variant counts them."""


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
    text = _text(path, EVENT_FILE_BYTES)
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
    text = _text(path, EVENT_FILE_BYTES)
    try:
        entrants = parse_entrants(text)
    except UserError as error:
        raise UserError(f"{path}: {error}.") from None
    fewest, most = event.entrants
    if not fewest <= len(entrants) <= most:
        raise UserError(f"{path}: there are {len(entrants)} entrants; {event.name!r} is for {fewest} to {most}.")
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
    text = _text(path, RESULT_BYTES)
    try:
        written = _results.validate_json(text)
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
        number = bot.removeprefix(STAND_IN)
        if bot not in numbers and not (bot.startswith(STAND_IN) and number.isascii() and number.isdigit()):
            raise UserError(f"{path}: no entrant is named {shortened(bot)!r}.")
        seated.append(numbers.get(bot) or -int(number))
    if not table.boards or any(len(points) != len(seated) for points in table.boards):
        raise UserError(f"{path}: the table of {', '.join(table.bots)} needs boards with a number for each of them.")
    is_game = event.stages[stage].format == "game"
    deals = game_deals(rules)[1] if is_game else len(table.boards) * rules.players
    return TableResult(tuple(seated), tuple(oriented(points, rules) for points in table.boards), deals)


def _text(path: Path, max_bytes: int) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(max_bytes + 1)
        if len(content) > max_bytes:
            raise UserError(f"{path}: it is longer than {max_bytes:,} bytes.")
        return content.decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"{path}: it cannot be read: {error.strerror}.") from None
    except UnicodeError:
        raise UserError(f"{path}: it is not UTF-8 text.") from None
