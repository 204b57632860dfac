"""The faults of one match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from ladder.store.models import StoredFault
from ladder.values.faults import FaultReport

if TYPE_CHECKING:
    from sqlalchemy import Select
    from sqlalchemy.orm import Session


def faults_of(session: Session, match: int) -> list[FaultReport]:
    """Read all faults of a match, by seat and table."""
    wanted: Select[*tuple[Any, ...]] = (
        select(
            StoredFault.seat,
            StoredFault.rotation.label("table"),
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
    return [FaultReport.model_validate(row) for row in session.execute(wanted)]
