"""Speed of a ladder's export as a data set, beside playing the same matches on this thread; and bytes a decision."""

from __future__ import annotations

import tempfile
import time
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.part_runner import run
from benchmarks.report import Part, Row, compared, spread
from ladder.app.dataset.exporting import export_dataset
from ladder.settings.settings import load_settings
from tests.ladder.recorded_ladders import new_ladder, recorded_match
from tests.referee.recorded import match_lines

if TYPE_CHECKING:
    from ladder.values.reports import DatasetManifest

VARIANTS = ("hearts", "gongzhu")
FORMAT = "boards:16"
MATCHES = 4
"""Of each variant."""


def measured(number: int) -> tuple[float, float, DatasetManifest]:
    """Measure the decisions played and exported in a second of CPU time; give what was written, too."""
    with tempfile.TemporaryDirectory() as name:
        ladder = new_ladder(load_settings(data_dir=Path(name) / "data"))
        playing = 0.0
        for variant, match in product(VARIANTS, range(MATCHES)):
            seed = bytes([number, match]) * 16
            began = time.process_time()
            lines = match_lines(variant, FORMAT, seed=seed)
            playing += time.process_time() - began
            recorded_match(ladder, lines, seed.hex())
        began = time.process_time()
        found = export_dataset(ladder, Path(name) / "set")
        exporting = time.process_time() - began
        ladder.database.close()
    return found.rows["decisions"] / playing, found.rows["decisions"] / exporting, found


def bytes_of(found: DatasetManifest, *tables: str) -> float:
    """Compute the bytes for each decision that these tables take."""
    files = (each for each in found.files if each.name.partition("/")[0] in tables)
    return sum(each.bytes for each in files) / found.rows["decisions"]


def measure(rounds: int) -> list[Row]:
    """Export one ladder after the other."""
    measured(rounds)  # which imports what tables need
    rounds_of = [measured(number) for number in range(rounds)]
    rates = [[played for played, _, _ in rounds_of], [exported for _, exported, _ in rounds_of]]
    rows = compared(("decisions played inline", "decisions exported"), rates, "/s of CPU", "playing")
    for what, tables in (("decisions", ["decisions"]), ("all tables", list(rounds_of[0][2].rows))):
        rows.append(Row(f"bytes a decision, {what}", spread([bytes_of(found, *tables) for *_, found in rounds_of])))
    return rows


PART = Part("dataset", __doc__, measure, rounds=5)

if __name__ == "__main__":
    run(__doc__, PART)
