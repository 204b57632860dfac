"""The files of tables with people: of each its record, the journal of the deal under way, and the phrases."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from ladder.results.wake_file import WakeFile

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

RECORD, JOURNAL, PHRASES = "record.jsonl", "journal.jsonl", "phrases.jsonl"


class TableFiles(WakeFile):
    """The folder `tables` of a ladder; in it a folder for each table, by its number."""

    def __init__(self, data_dir: Path) -> None:
        self.root = data_dir / "tables"
        super().__init__(self.root)

    def folder(self, table: int) -> Path:
        """Give the folder of a table; it is made if there is none, and only this user may read it."""
        path = self.root / str(table)
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path

    def record(self, table: int) -> Path:
        """Give the record of a table, as far as it has come; there is none before the first card."""
        return self.root / str(table) / RECORD

    def journal(self, table: int) -> Path:
        """Give the path of the decisions of the deal under way."""
        return self.root / str(table) / JOURNAL

    def phrases(self, table: int) -> Path:
        """Give the path of the phrases that people at a table have sent to each other."""
        return self.root / str(table) / PHRASES

    def remove(self, tables: Collection[int]) -> None:
        """Remove all files of these tables."""
        for table in tables:
            shutil.rmtree(self.root / str(table), ignore_errors=True)
