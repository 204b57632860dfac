"""A match's record, read once, with what has to be known of the whole match to show one of its deals."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from ladder.errors import UserError
from ladder.values.matches import MAX_FAULTS, DealPlace, FaultPlace
from referee.records.file import read_record
from referee.records.framing import RecordError
from referee.records.lines import DealLine
from referee.records.recorded import BadRecord, Recorded, seats_of
from referee.records.steps import was_asked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from referee.records.lines import AnyLine

KEPT = 8
"""Records that stay in memory: of each, as much as its packed file has."""

_reading = threading.Lock()


@dataclass
class RecordedMatch:
    """A record."""

    recorded: Recorded
    has_boards: bool
    where: dict[DealPlace, int]
    """The place of each deal among the deals of `recorded`, in that order."""
    decisions: dict[DealPlace, tuple[int, ...]]
    """Number of decisions that each bot, by its number, had been asked for in this rotation before the deal."""
    faults: tuple[FaultPlace, ...]
    """Every fault, in the order of the deals."""


def read_recorded(path: Path) -> RecordedMatch:
    """
    Read a record, or take it from memory.

    Raises:
        UserError: If it cannot be read, or holds no deal.
    """
    try:
        found = path.stat()
        with _reading:  # the same record is wanted by several requests at a time
            return _read(path, found.st_mtime_ns, found.st_size)
    except OSError as error:
        raise UserError(f"The record {path.name!r} cannot be read: {error.strerror}.") from None
    except (BadRecord, RecordError) as error:
        raise UserError(f"The record {path.name!r} cannot be replayed: {_words(error)}.") from None


@lru_cache(maxsize=KEPT)
def _read(path: Path, changed: int, size: int) -> RecordedMatch:
    """Read a file; it is another one when its time or size is."""
    return understood(read_record(path))


def understood(lines: Iterable[AnyLine]) -> RecordedMatch:
    """
    Take the lines of a record.

    Raises:
        BadRecord: If they make no sense, or hold no deal.
    """
    survey = _Found()
    recorded = Recorded.of(survey.watch(lines))
    if not recorded.deals:
        raise BadRecord("it holds no deal")
    places = sorted(survey.decisions, key=lambda place: (place.board, place.rotation))
    faults = sorted(survey.faults, key=lambda fault: (fault.board, fault.rotation, fault.step))
    return RecordedMatch(
        recorded=recorded,
        has_boards=recorded.deals[0].board is not None,
        where={place: index for index, place in enumerate(places)},
        decisions=survey.decisions,
        faults=tuple(faults[:MAX_FAULTS]),
    )


@dataclass
class _Found:
    """Looks at the lines of a record as they are read; those of one rotation come in order."""

    decisions: dict[DealPlace, tuple[int, ...]] = field(default_factory=dict)
    faults: list[FaultPlace] = field(default_factory=list)
    _so_far: dict[int, list[int]] = field(default_factory=dict)

    def watch(self, lines: Iterable[AnyLine]) -> Iterator[AnyLine]:
        for line in lines:
            yield line
            if isinstance(line, DealLine):  # behind `yield`: now it is known that its seats make sense
                self._take(line)

    def _take(self, line: DealLine) -> None:
        place = place_of(line)
        if place in self.decisions:
            raise BadRecord(f"{line.name} is there twice")
        bots = seats_of(line)
        count = self._so_far.setdefault(place.rotation, [0] * len(bots))
        self.decisions[place] = tuple(count)
        for number, step in enumerate(line.steps, 1):
            count[bots[step.seat]] += was_asked(step.by)
            if step.why is not None:
                fault = FaultPlace(board=place.board, rotation=place.rotation, step=number, bot=bots[step.seat])
                self.faults.append(fault)


def place_of(line: DealLine) -> DealPlace:
    """Say where a deal is in its match."""
    if line.board is None:
        return DealPlace(board=line.deal + 1, rotation=1)
    return DealPlace(board=line.board + 1, rotation=(line.rotation or 0) + 1)


def _words(error: Exception) -> str:
    """Leave the folders of this machine out of a message."""
    return str(error).rsplit("/", 1)[-1].rstrip(".")
