"""The files of tables with people: of each its record, and the journal of the deal under way."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

RECORD, JOURNAL, WAKE = "record.jsonl", "journal.jsonl", "wake"


class TableFiles:
    """The folder `tables` of a ladder; in it a folder for each table, by its number."""

    def __init__(self, data_dir: Path) -> None:
        self.root = data_dir / "tables"

    def folder(self, table: int) -> Path:
        """The folder of a table, which is made if there is none, for nobody else to read."""
        path = self.root / str(table)
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path

    def record(self, table: int) -> Path:
        """The record of a table, as far as it has come; there is none before the first card."""
        return self.root / str(table) / RECORD

    def journal(self, table: int) -> Path:
        """What has been decided in the deal under way."""
        return self.root / str(table) / JOURNAL

    def wake(self) -> None:
        """Let the process that plays the tables look at once; it looks every second in any case."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self.root / WAKE).touch()

    def woken(self) -> int:
        """A number that changes with `wake`; it costs nothing to read."""
        try:
            return os.stat(self.root / WAKE).st_mtime_ns
        except OSError:
            return 0

    def remove(self, tables: Collection[int]) -> None:
        """Remove all files of these tables."""
        for table in tables:
            shutil.rmtree(self.root / str(table), ignore_errors=True)
