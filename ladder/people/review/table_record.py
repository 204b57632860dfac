"""Data of a table that was played: its record, and the score sheet that follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.errors import LadderError
from ladder.results.files import TableFiles
from ladder.values.people import TableStatus
from ladder.values.person_state import PersonSheetRow
from referee.records.file import read_record
from referee.records.framing import RecordError
from referee.records.lines import DealLine
from referee.records.recorded import seats_of

if TYPE_CHECKING:
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.values.people import TableState

NO_RECORD = "This table has no record that can be shown."


def record_of(ladder: Ladder, table: TableState) -> Path:
    """
    Find the record of a table that is over; it is for those who have played there.

    Raises:
        LadderError: If there is none.
    """
    path = TableFiles(ladder.settings.data_dir).record(table.id)
    if table.status is not TableStatus.OVER or not path.is_file():
        raise LadderError(NO_RECORD)
    return path


def sheet_of(ladder: Ladder, table: TableState) -> tuple[PersonSheetRow, ...]:
    """Read the deals that are over, with the points by the numbers of the chairs; none if they cannot be read."""
    path = TableFiles(ladder.settings.data_dir).record(table.id)
    try:
        return tuple(_row(line) for line in read_record(path) if isinstance(line, DealLine))
    except (OSError, RecordError):
        return ()


def _row(line: DealLine) -> PersonSheetRow:
    seats = seats_of(line)
    scores, totals = (
        tuple(each[seats.index(chair)] for chair in range(len(seats))) for each in (line.scores, line.totals)
    )
    return PersonSheetRow(deal=line.deal, scores=scores, totals=totals)
