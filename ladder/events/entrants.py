"""The entrants of an event, and the results of its tables."""

from __future__ import annotations

from dataclasses import dataclass

Table = tuple[int, ...]
"""The entrants at a table, by number; negative numbers are stand-ins."""
STAND_IN = "stand-in "
"""Beginning of the names of stand-ins; a number follows."""


@dataclass(frozen=True)
class Entrant:
    """A bot in an event."""

    number: int
    """From 1, in order of entry."""
    name: str
    owner: str
    rating: float | None = None
    """Elo at the freeze, if it has one."""


@dataclass(frozen=True)
class TableResult:
    """The points of a table that has been played."""

    table: Table
    boards: tuple[tuple[int, ...], ...]
    """For each board, or the one game: the points of each over all rotations. More is better (`scoring.oriented`)."""
    deals: int
    """Of all rotations."""


@dataclass(frozen=True)
class PlayedRound:
    """A round with its results."""

    stage: int
    """Its place in the event's file, from 0."""
    round: int
    """From 1, within the stage; play-offs count."""
    tables: tuple[TableResult, ...]


def is_stand_in(number: int) -> bool:
    """Tell whether a number is that of a stand-in, not of an entrant."""
    return number < 0


def filled(numbers: list[int], sides: int) -> list[int]:
    """
    Add stand-ins up to the next multiple of *sides*.

    >>> filled([7, 3, 5], 4)
    [7, 3, 5, -1]
    """
    return [*numbers, *(-missing for missing in range(1, -len(numbers) % sides + 1))]
