"""A data set as a ladder offers it, without its export: tests of pages need no tables."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ladder.app.dataset.offered import FOLDER, MANIFEST
from ladder.values.reports import DatasetFile, DatasetManifest

if TYPE_CHECKING:
    from pathlib import Path

PARTS = {"matches/000000001-000000002.parquet": b"matches", "deals/000000001-000000002.parquet": b"deals"}


def offer(data_dir: Path, licence: str = "CC-BY-4.0") -> DatasetManifest:
    """Offer a data set of two files."""
    files = []
    for name, content in PARTS.items():
        path = data_dir / FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        files.append(DatasetFile(name=name, bytes=len(content), sha256=hashlib.sha256(content).hexdigest()))
    made = DatasetManifest(
        version=2,
        written=datetime(2026, 11, 27, 3, 17, tzinfo=UTC),
        licence=licence,
        rows={"matches": 2, "deals": 8},
        files=tuple(files),
    )
    (data_dir / FOLDER / MANIFEST).write_text(made.model_dump_json())
    return made
