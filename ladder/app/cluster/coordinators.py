"""The coordinators that work at a ladder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.entry.policy import Act, check
from ladder.store.commands import coordinators as store
from ladder.values.cluster import CoordinatorRow

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.values.accounts import Viewer


def coordinators(ladder: Ladder, viewer: Viewer) -> list[CoordinatorRow]:
    """
    Read those that have not ended by themselves, the last to speak first.

    Raises:
        Forbidden: If the viewer is not an organiser.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.read() as session:
        now = store.database_time(session)
        found = store.coordinators(session)
    rows = [CoordinatorRow(process=each.holder, silent_seconds=max(0.0, now - each.seen)) for each in found]
    return sorted(rows, key=lambda row: row.silent_seconds)
