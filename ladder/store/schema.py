"""Schema of a database, against those that this program knows."""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING

from sqlalchemy import inspect, text

if TYPE_CHECKING:
    from sqlalchemy import Connection

REVISIONS = ("0000_1a2c6696",)
"""
Schemas that this program knows, the oldest first: that of the first release, and one for each migration since.

Each is a number and a digest of the models (`all_tables.digest`), since builds between two releases have several
schemas under one number. A constant, so that a command that reads need load neither all models nor Alembic;
`ladder.store.migrations.write` writes it, and a test compares it with both.
"""
REVISION = REVISIONS[-1]
"""The schema that this program makes, and works with."""
VERSION_TABLE = "alembic_version"
_STAMP = re.compile(r"(?P<number>\d{4})(?P<digest>_[0-9a-f]{8})?")
"""As it stands in a database. Builds before the first release wrote the number alone, under many schemas."""


class Age(enum.Enum):
    """Age of a database's schema, compared with the one of this program."""

    CURRENT = enum.auto()
    OLDER = enum.auto()
    """It can be upgraded."""
    NEWER = enum.auto()
    UNRELEASED = enum.auto()
    """No release has it, so no migration begins at it."""


def age_of(revision: str) -> Age:
    """
    Compare a schema with the one that this program works with.

    >>> age_of("0001"), age_of("9999_0123abcd")
    (<Age.UNRELEASED: 4>, <Age.NEWER: 3>)
    """
    if revision in REVISIONS:
        return Age.CURRENT if revision == REVISION else Age.OLDER
    stamp = _STAMP.fullmatch(revision)
    is_newer = stamp and stamp["digest"] and stamp["number"] > REVISION[:4]
    return Age.NEWER if is_newer else Age.UNRELEASED


def revision_of(connection: Connection) -> str | None:
    """Read the schema's revision; None if there is no schema yet, or that of another program."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    found = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalars().all()
    return str(found[0]) if len(found) == 1 and _STAMP.fullmatch(str(found[0])) else None


def is_empty(connection: Connection) -> bool:
    """Tell whether the database holds no table at all."""
    return not inspect(connection).get_table_names()
