"""An event's file, and the list of its entrants: text to values. A mistake is one sentence that names the field."""

from __future__ import annotations

import datetime
import tomllib
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pydantic

from ladder.errors import UserError
from ladder.events.entrants import STAND_IN, Entrant
from ladder.values.csv_rows import csv_rows
from ladder.values.events import MAX_ENTRANTS, Event
from ladder.values.text import counted
from referee.records.framing import shortened

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

MAX_MISTAKES = 5
"""Mistakes that one message names at most."""
NAMES, OWNERS, RATINGS = ("name", "bot"), ("owner",), ("rating", "elo")
"""The columns of a list of entrants; those of `pigpen standings --csv` will do."""


def parse_event(text: str) -> Event:
    """
    Read an event from TOML.

    Raises:
        UserError: If it is not TOML, or a field is wrong.
    """
    try:
        plain = tomllib.loads(text)
        repr(plain)  # a hexadecimal number can be too long for Python to write it in a message
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"this is not TOML: {shortened(str(error), 200)}") from None
    except (ValueError, RecursionError):
        raise UserError(
            "this is not TOML that can be read: a number is too long, or lists are nested too deep"
        ) from None
    unknown = [name for name in plain if name not in ("event", "stage")]
    if unknown or not isinstance(plain.get("event"), dict) or not isinstance(plain.get("stage"), list):
        extra = f"; {shortened(unknown[0])!r} is not known" if unknown else ""
        raise UserError(
            f"an event has one [event] and at least one [[stage]]{extra}. Start from one with: pigpen event new FILE"
        )
    if "stages" in plain["event"]:
        raise UserError("event: 'stages' is not known; write a [[stage]] for each")
    _set_zone(plain)
    try:
        return Event.model_validate({**plain["event"], "stages": plain["stage"]})
    except pydantic.ValidationError as error:
        found = list(dict.fromkeys(_sentence(detail, plain["stage"]) for detail in error.errors()))
        more = len(found) - MAX_MISTAKES
        raise UserError(
            "; ".join(found[:MAX_MISTAKES]) + (f"; and {counted(more, 'more mistake')}" if more > 0 else "")
        ) from None


def _set_zone(plain: dict[str, Any]) -> None:
    """
    Give each time without a zone that of the event's file.

    Raises:
        UserError: If there is no such zone, or the zone has not that time, or has it twice.
    """
    name = plain["event"].get("zone")
    if name is None:
        return
    try:
        zone = ZoneInfo(name)
    except (TypeError, ValueError, OSError, ZoneInfoNotFoundError):
        raise UserError(f"event: zone: there is no zone {shortened(repr(name))}; write Europe/Berlin") from None

    def placed(value: Any) -> Any:
        if isinstance(value, list):
            return [placed(each) for each in value]
        if not isinstance(value, datetime.datetime) or value.tzinfo is not None:
            return value
        first, second = (value.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
        if first.utcoffset() != second.utcoffset():
            raise UserError(
                f"event: {value.isoformat(' ')} is not one moment in {name}, where clocks are changed then; write it "
                "with its offset, such as +01:00"
            )
        return first

    for table in (plain["event"], *(each for each in plain["stage"] if isinstance(each, dict))):
        for field in table:
            table[field] = placed(table[field])


def parse_entrants(text: str) -> tuple[Entrant, ...]:
    """
    Read a list of entrants from CSV, in order of entry.

    Raises:
        UserError: If it is no table, a column is missing, a rating is no number, or two entrants have one name.
    """
    columns, rows = csv_rows(text)
    name, owner, rating = (next((each for each in kind if each in columns), None) for kind in _KINDS)
    if name is None or owner is None:
        raise UserError("the first line must name the columns: name,owner,rating (the ratings may be missing)")
    found = [
        Entrant(
            number,
            _word(row.cells[name], number, "name"),
            _word(row.cells[owner], number, "owner"),
            _rating(row.cells, rating, number),
        )
        for number, row in enumerate(rows, 1)
    ]
    if len(found) > MAX_ENTRANTS:
        raise UserError(f"there are {len(found)} entrants; an event has at most {MAX_ENTRANTS}")
    names = [one.name for one in found]
    if taken := next((each for each in names if each.startswith(STAND_IN)), None):
        raise UserError(f"{taken!r} cannot be an entrant's name: stand-ins are named so")
    if twice := next((each for each in names if names.count(each) > 1), None):
        raise UserError(f"two entrants are named {twice!r}; give each version its own line and name")
    return tuple(found)


_KINDS = (NAMES, OWNERS, RATINGS)


def _word(word: str, number: int, column: str) -> str:
    if not word or len(word) > 200 or not word.isprintable():
        raise UserError(f"entrant {number} has no {column} that can be printed in one line")
    return word


def _rating(row: dict[str, str], column: str | None, number: int) -> float | None:
    text = row[column] if column else ""
    if not text:
        return None
    try:
        rating = float(text)
    except ValueError:
        rating = float("nan")
    if not -10_000 <= rating <= 10_000:
        raise UserError(f"entrant {number}: {shortened(text)!r} is not a rating; write a number such as 1500")
    return rating


def _sentence(detail: ErrorDetails, stages: list[Any]) -> str:
    where, text = _where(detail["loc"], stages), detail["msg"].removeprefix("Value error, ").removeprefix("Input ")
    if detail["type"] == "extra_forbidden":
        return f"{where}: there is no such field"
    if detail["type"] == "missing":
        return f"{where}: this field is missing"
    shown = "" if detail["type"] == "value_error" else f" (found {shortened(repr(detail['input']))})"
    return f"{where}: {shortened(text, 300)}{shown}"


def _where(location: tuple[int | str, ...], stages: list[Any]) -> str:
    """Name a field as an organiser finds it: by the name of its stage."""
    if location[:1] == ("stages",) and len(location) > 1 and isinstance(number := location[1], int):
        stage = stages[number] if number < len(stages) else None
        name = stage.get("name") if isinstance(stage, dict) else None
        place = f"stage {shortened(name)!r}" if isinstance(name, str) else f"stage {number + 1}"
        rest = location[2:]
    else:
        place, rest = "event", location
    field = ".".join(shortened(str(part)) for part in rest[:1])
    return f"{place}: {field}" if field else place
