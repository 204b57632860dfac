"""What was held against whom in one match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from ladder.store.models import StoredFault

if TYPE_CHECKING:
    from sqlalchemy import Select
    from sqlalchemy.orm import Session


@dataclass(frozen=True)
class FaultShown:
    """One fault."""

    seat: int
    """The bot's number in the match."""
    table: int
    place: str
    """The deal, as people call it."""
    decision: int
    """The bot's decision at its table, from 1; its output names it too."""
    verdict: str
    why: str
    exit_code: int | None
    oom: bool | None


def faults_of(session: Session, match: int) -> list[FaultShown]:
    """Read all faults of a match, by seat and table."""
    wanted: Select[*tuple[Any, ...]] = (
        select(
            StoredFault.seat,
            StoredFault.rotation,
            StoredFault.place,
            StoredFault.decision,
            StoredFault.verdict,
            StoredFault.why,
            StoredFault.exit_code,
            StoredFault.oom,
        )
        .where(StoredFault.match_id == match)
        .order_by(StoredFault.seat, StoredFault.rotation, StoredFault.decision, StoredFault.id)
    )
    return [FaultShown(*row) for row in session.execute(wanted)]
