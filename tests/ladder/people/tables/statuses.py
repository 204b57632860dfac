"""Numbers of a ladder's tables, by status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.store.queries.people_tables import count_by_status
from ladder.values.people import TableStatus

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder


def tables_by_status(ladder: Ladder) -> dict[TableStatus, int]:
    """Count them; 0 where there are none."""
    with ladder.database.read() as session:
        counted = count_by_status(session)
    return {status: counted.get(status, 0) for status in TableStatus}
