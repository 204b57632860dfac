"""An event that is over, with everything from which it can be played again: what `pigpen event export` writes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from ladder.values.events import MAX_ENTRANTS, MAX_ROUNDS
from ladder.values.value import Time, Value

Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Number = Annotated[int, Field(ge=-(2**53), le=2**53)]
Cost = tuple[Number, Number, Number]


class ExportedEntrant(Value):
    """A bot in an event."""

    number: int
    name: str
    version: int
    identity: str
    """Its image, or the hash of its folder."""
    owner: str
    rating: float | None
    left_after: int | None


class ExportedRuling(Value):
    """The organiser's decision about a table."""

    last: tuple[Number, ...]
    """By number of the entrant."""
    after: Annotated[int, Field(ge=0)]
    """The rounds that had been drawn."""
    reason: str
    by: str
    at: Time


class ExportedTurn(Value):
    """A match at a table; of several the last one counts."""

    match: int
    """Its number on its ladder."""
    commitment: Hash
    """SHA-256 of its seed."""
    boards: tuple[tuple[Number, ...], ...] | None
    """The points of each on each board, more being better; None: it was not played to its end."""
    deals: Number
    rulings: tuple[ExportedRuling, ...]


class ExportedTable(Value):
    """A table."""

    entrants: tuple[Number, ...]
    """Negative numbers are stand-ins."""
    turns: Annotated[tuple[ExportedTurn, ...], Field(min_length=1, max_length=1000)]


class ExportedRound(Value):
    """A round."""

    stage: Annotated[int, Field(ge=0, le=20)]
    round: Annotated[int, Field(ge=1)]
    kind: Literal["round", "play-off"]
    boards: int | None
    method: str
    cost: Cost
    bound: Cost
    drawn: Time
    tables: Annotated[tuple[ExportedTable, ...], Field(max_length=MAX_ENTRANTS)]


class ExportedPlace(Value):
    """A place at the end."""

    place: int
    number: int
    values: tuple[float | None, ...]
    """By criterion; of version 1 only those of the last stage, and 0 for each head to head."""


class ExportedEvent(Value):
    """The file `event.json` of an export; the records are beside it, named by round, table and turn."""

    version: Literal[1, 2] = 2
    name: str
    file: Annotated[str, Field(max_length=64 * 1024)]
    """The event's TOML file."""
    rules: dict[str, Any]
    """Of its variant, field for field as in a rules file."""
    seed: Hash
    commitment: Hash
    entrants_hash: Hash
    stand_in: str
    """The version that filled tables."""
    stand_in_identity: str
    entrants: Annotated[tuple[ExportedEntrant, ...], Field(max_length=MAX_ENTRANTS)]
    rounds: Annotated[tuple[ExportedRound, ...], Field(max_length=20 * MAX_ROUNDS)]
    places: tuple[ExportedPlace, ...]


class EventVerification(Value):
    """Result of a check that an event was held as its seed, its entrants and its records say."""

    event: str
    holds: bool
    findings: tuple[str, ...]
    """Deviations that were found, a sentence each."""
    rounds: int
    tables: int
    records: int
    """That were played again."""
    deals: int
    winner: str | None


def record_name(number: int, table: int, turn: int) -> str:
    """
    Name a record in an export, by the round within the event, the table, and the turn from 0.

    >>> record_name(3, 2, 0)
    'records/3-2-0.jsonl.gz'
    """
    return f"records/{number}-{table}-{turn}.jsonl.gz"
