"""The tables of the models, for Core statements: the ORM would spend longer on a page or a result than the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Table

from ladder.store import models
from ladder.store.organiser_models import Announcement, Deadline

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.orm import Session


def connection_of(session: Session) -> Connection:
    """Give the connection of a transaction, which has been told of everything that the transaction has changed."""
    session.flush()
    return session.connection()


def _table(model: type[models.Base]) -> Table:
    table = model.__table__
    assert isinstance(table, Table)
    return table


VARIANT, OWNER = _table(models.Variant), _table(models.Owner)
BOT, VERSION = _table(models.StoredBot), _table(models.Version)
RATING, POINT = _table(models.Rating), _table(models.RatingPoint)
MATCH, SEAT = _table(models.StoredMatch), _table(models.StoredSeat)
PAIR, THINKING = _table(models.PairStats), _table(models.ThinkTimes)
FAULT, CHANGE = _table(models.StoredFault), _table(models.StateChange)
ESTIMATE = _table(models.StoredEstimate)
ANNOUNCEMENT, DEADLINE = _table(Announcement), _table(Deadline)
