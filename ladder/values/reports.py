"""
Reports on the operation of a ladder.

They are on work on its database, on its data set (what the manifest says), on its settings, on signs that it plays and
has room to, and on what a machine offers to it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from ladder.values.value import Time, Value


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


class DatasetFile(Value):
    """A file of the data set."""

    name: Annotated[str, Field(pattern=r"^[a-z]+/[a-z0-9-]+\.parquet$")]
    """Its path within the folder."""
    bytes: int
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class DatasetManifest(Value):
    """The file `manifest.json` of a data set."""

    version: int
    """Of the columns (docs/dataset.md)."""
    written: Time
    licence: str
    """Under which it may be used, in the organiser's words; empty: none was given."""
    rows: dict[str, int]
    """By table."""
    files: tuple[DatasetFile, ...]


class SettingRow(Value):
    """One setting."""

    name: str
    value: str | int | float | bool
    source: Literal["default", "file", "environment"]
    """Origin of the value."""
    meaning: str


class LadderHealth(Value):
    """Signs that nothing is played, or soon will not be."""

    runners: int
    """Coordinators that have spoken within two minutes, and whose process has not ended as far as can be seen."""
    seen: Time | None
    """Time at which one spoke last; None: never."""
    silent_seconds: float | None
    """Seconds since then, by the database's clock."""
    waiting: int
    """Matches and submissions that are not done, those under way included, as far as the viewer may know of them."""
    oldest_seconds: float
    """Seconds for which the oldest match in the queue has waited; 0: none waits."""
    oldest_computation_seconds: float
    """Seconds for which the oldest question of visitors has waited to be computed; 0: none waits."""
    oldest_letter_seconds: float | None = None
    """Seconds for which the oldest letter waits, for organisers; 0: none does; None: the ladder sends no e-mail."""
    free_bytes: int | None
    """Room on the disk of the ladder's folder, for all but organisers in whole GiB; None: it cannot be read."""


@dataclass(frozen=True, config=ConfigDict(use_attribute_docstrings=True))
class Finding:
    """One thing that was looked at."""

    name: str
    holds: bool
    found: str
    """State of it on this machine."""
    follows: str = ""
    """Consequence where it does not hold, and the way out."""
    is_protection: bool = False
    """True if bots, or the machine, are less safe without it."""


class DoctorReport(Value):
    """Everything that was looked at."""

    stands: bool
    """True if all protections between bots work."""
    findings: tuple[Finding, ...]
