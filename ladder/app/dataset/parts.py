"""The parts of a data set on the disk: whether each file is the one that was written."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from ladder.app.dataset.tables import schema

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ladder.values.reports import DatasetFile, DatasetManifest

TABLES = ("deals", "decisions", "seats", "matches")
"""Tables that have a file for each part, in the order in which they are written."""
NAME = re.compile(r"\d+-\d+")
"""Name of a part: the numbers of its first and its last match."""
Harm = Literal["missing", "damaged"]


@dataclass(frozen=True)
class Part:
    """Some matches: a file of the same name in each of `TABLES`."""

    folder: Path
    """Of the data set."""
    name: str
    harms: Mapping[str, Harm]
    """By table: why its file cannot be used."""
    is_listed: bool
    """True if the last manifest names it; else a process was killed before it wrote one."""

    def file(self, table: str) -> Path:
        """Return the path of its file in a table."""
        return part_file(self.folder, table, self.name)

    def relative(self, table: str) -> str:
        """Return the name of its file in a table, as the manifest has it."""
        return f"{table}/{self.name}.parquet"

    def matches(self) -> list[int] | None:
        """Read the numbers of its matches; None: no file that has all of them can be used."""
        for table in ("matches", "seats"):
            if table not in self.harms:
                return sorted(set(self._column(table, "match")))
        return None

    def recorded(self) -> set[int] | None:
        """Read the numbers of its matches whose deals were exported; None: no file says it."""
        if "matches" not in self.harms:
            has_record = self._column("matches", "has_record")
            return {match for match, has in zip(self._column("matches", "match"), has_record, strict=True) if has}
        whole = [table for table in ("deals", "decisions") if table not in self.harms]
        return set(self._column(whole[0], "match")) if whole else None

    def remove(self) -> None:
        """Remove its files."""
        for table in reversed(TABLES):
            self.file(table).unlink(missing_ok=True)

    def _column(self, table: str, column: str) -> list[int]:
        found: list[int] = pq.read_table(self.file(table), columns=[column])[column].to_pylist()
        return found


def part_file(folder: Path, table: str, name: str) -> Path:
    """Return the path of a part's file in a table."""
    return folder / table / f"{name}.parquet"


def part_files(folder: Path, table: str) -> list[Path]:
    """List the files of a table that are parts."""
    return [path for path in (folder / table).glob("*.parquet") if NAME.fullmatch(path.stem)]


def check_parts(folder: Path, manifest: DatasetManifest | None) -> list[Part]:
    """
    Compare the files with the last manifest: each must be there, with the size and SHA-256 that it had.

    A file that the manifest does not name is read as a whole: checksums of its pages tell whether it was cut off.
    """
    listed = {file.name: file for file in manifest.files} if manifest else {}
    known = {name for name in listed if name.partition("/")[0] in TABLES}
    known |= {f"{table}/{path.name}" for table in TABLES for path in part_files(folder, table)}
    parts = []
    for name in sorted({each.partition("/")[2].removesuffix(".parquet") for each in known}):
        files = {table: listed.get(f"{table}/{name}.parquet") for table in TABLES}
        harms = {table: harm for table, file in files.items() if (harm := _harm(folder, table, name, file))}
        parts.append(Part(folder, name, harms, any(files.values())))
    return parts


def _harm(folder: Path, table: str, name: str, listed: DatasetFile | None) -> Harm | None:
    path = part_file(folder, table, name)
    if not path.is_file():
        return "missing"
    if listed:
        return None if path.stat().st_size == listed.bytes and sha256(path) == listed.sha256 else "damaged"
    try:
        found = pq.read_table(path, page_checksum_verification=True, partitioning=None)
    except (OSError, pa.ArrowException):
        return "damaged"
    return None if found.schema.equals(schema(table)) else "damaged"


def sha256(path: Path) -> str:
    """Compute the SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
