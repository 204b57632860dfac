"""Results of work on a ladder's database."""

from __future__ import annotations

from pathlib import Path

from ladder.values.value import Value


class Upgrade(Value):
    """A database that was brought to the schema of this program."""

    before: str | None
    """The schema's revision as it was; None if there was none."""
    after: str
    backup: Path | None
    """A copy of the database as it was; None if nothing was changed, or a server has it."""


class Backup(Value):
    """A copy of the database."""

    file: Path
    size: int
    """Bytes."""


class CopiedTable(Value):
    """A table that was copied."""

    name: str
    rows: int


class DatabaseCopy(Value):
    """A ladder that was copied into another database, and compared row by row."""

    source: str
    """The URL of the database that it was copied from, without its password."""
    target: str
    """That of the new one."""
    schema_revision: str
    tables: tuple[CopiedTable, ...]
    digest: str
    """A hash of all rows: equal for two databases that hold the same, whatever they are."""
