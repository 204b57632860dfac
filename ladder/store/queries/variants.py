"""Which variants a ladder plays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from ladder.store import models
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from pigpen.rules import Rules


def rules_by_name(session: Session) -> dict[str, Rules]:
    """Read every variant of the ladder."""
    return {variant.name: rules_from(variant.rules) for variant in session.scalars(select(models.Variant))}
