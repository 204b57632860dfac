"""Transactions of a ladder's database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import IntegrityError

from ladder.store import models

if TYPE_CHECKING:
    from ladder.store.database import Database


def test_what_was_written_can_be_read(database: Database) -> None:
    with database.write() as session:
        session.add(models.Owner(name="ada", added=1.0))
    with database.read() as session:
        assert session.scalars(select(models.Owner.name)).all() == ["ada"]


def add_twice(database: Database, name: str) -> None:
    with database.write() as session:
        session.add(models.Owner(name=name, added=1.0))
        session.flush()
        session.add(models.Owner(name=name, added=2.0))


def test_a_transaction_that_fails_leaves_nothing(database: Database) -> None:
    with pytest.raises(IntegrityError):
        add_twice(database, "ada")
    with database.read() as session:
        assert session.scalars(select(models.Owner)).all() == []


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_sqlite_keeps_what_was_committed(database: Database) -> None:
    with database.read() as session:
        found = {name: session.execute(text(f"PRAGMA {name}")).scalar() for name in ("journal_mode", "synchronous")}
    assert found == {"journal_mode": "wal", "synchronous": 2}
