"""What became of a ladder's database."""

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
