"""Matches that are quarantined because the platform failed in them too often: an organiser queues them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.entry.policy import Act, check
from ladder.errors import LadderError
from ladder.store.commands import queue
from ladder.store.commands.accounts import write_audit
from ladder.store.names import find_match
from ladder.store.queries.matches import match_row

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.values.accounts import Viewer
    from ladder.values.matches import MatchRow


def requeue(ladder: Ladder, viewer: Viewer, number: int) -> MatchRow:
    """
    Queue a quarantined match again.

    Args:
        ladder: The ladder.
        viewer: The caller.
        number: The match's.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is no such match, or it is not quarantined.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.write() as session:
        found = find_match(session, number)
        if not queue.requeue(session, found.id):
            raise LadderError(
                f"Match {number} is not quarantined: it is {found.status}. To list those that are: "
                "pigpen matches --status quarantined"
            )
        write_audit(session, viewer, "match.requeue", str(number), ladder.clock())
        return match_row(session, found)
