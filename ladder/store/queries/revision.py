"""Revision of the data that pages show: it changes whenever they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from ladder.store.models import Status, visible_matches
from ladder.store.tables import CHANGE, ESTIMATE, MATCH, RATING, VARIANT, VERSION, connection_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

IS_LEASED = (MATCH.c.status == Status.LEASED) & visible_matches()
OF_STANDINGS = (
    select(func.max(MATCH.c.ordinal)).scalar_subquery(),
    select(func.max(CHANGE.c.id)).scalar_subquery(),
    select(func.max(VERSION.c.id)).scalar_subquery(),
    select(func.count()).select_from(RATING).scalar_subquery(),
    select(func.sum(ESTIMATE.c.ordinal)).scalar_subquery(),
    select(func.sum(func.length(ESTIMATE.c.fit))).scalar_subquery(),
    select(func.sum(VARIANT.c.season)).scalar_subquery(),
)
STANDINGS = select(*OF_STANDINGS)
EVERYTHING = select(
    *OF_STANDINGS,
    select(func.max(MATCH.c.id)).where(visible_matches()).scalar_subquery(),
    select(func.count()).where(IS_LEASED).scalar_subquery(),
    select(func.max(MATCH.c.started)).where(IS_LEASED).scalar_subquery(),
)


def standings_revision(session: Session) -> tuple[int | None, ...]:
    """Read figures of which one changes whenever any standings do: a few looks into indices."""
    return tuple(connection_of(session).execute(STANDINGS).one())


def revision(session: Session) -> str:
    """Give a text that changes whenever anything changes that a page shows; it takes a few looks into indices."""
    return " ".join(str(value) for value in connection_of(session).execute(EVERYTHING).one())
