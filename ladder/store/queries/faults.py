"""The faults of one match, and the newest ones of a bot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import select

from ladder.store.models import StoredFault, StoredMatch
from ladder.store.tables import FAULT, MATCH
from ladder.values.bots import FaultRow
from ladder.values.local_results import FaultReport

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session


def faults_of(session: Session, match: int) -> list[FaultReport]:
    """Read all faults of a match, by seat and rotation."""
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
    return [FaultReport.model_validate(row) for row in session.execute(wanted)]


FAULT_ROW: tuple[ColumnElement[Any], ...] = (
    FAULT.c.match_id.label("match"),
    MATCH.c.variant,
    FAULT.c.rotation,
    FAULT.c.place,
    FAULT.c.decision,
    FAULT.c.why,
    FAULT.c.exit_code,
    FAULT.c.oom,
)
"""The columns of a `FaultRow`."""


class NewFault(NamedTuple):
    """A fault of a version."""

    seat: int
    """The bot's number in the match."""
    verdict: str
    fault: FaultRow


def newest_faults(session: Session, version: int, limit: int, variant: str | None = None) -> list[NewFault]:
    """
    Read the newest faults of a version, the newest one first.

    Args:
        session: A transaction.
        version: Its id.
        limit: Number of faults to give at most.
        variant: Only those in this variant.
    """
    wanted: Select[*tuple[Any, ...]] = (
        select(
            *FAULT_ROW,
            StoredFault.seat,
            StoredFault.verdict,
        )
        .join(StoredMatch, StoredMatch.id == StoredFault.match_id)
        .where(StoredFault.version_id == version)
        .order_by(StoredFault.id.desc())
        .limit(limit)
    )
    if variant is not None:
        wanted = wanted.where(StoredMatch.variant == variant)
    rows = session.execute(wanted).mappings()
    return [
        NewFault(row["seat"], row["verdict"], FaultRow(**{name: row[name] for name in FaultRow.model_fields}))
        for row in rows
    ]
