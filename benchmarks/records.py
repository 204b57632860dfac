"""
Speed of what is done with records: verified, and exported as a data set.

*verify*: deals a second of verifying a record, against playing the same match in containers.

*dataset*: a ladder's export as a data set, beside playing the same matches on this thread; and bytes a decision.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.bots import DEALS, INSTANT, instant_spec
from benchmarks.part_runner import run
from benchmarks.report import Part, Row, compared, in_turn, spread
from benchmarks.runtimes import runtimes
from ladder.app.dataset.exporting import export_dataset
from ladder.matches.play import play_sandboxed
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.settings.settings import load_settings
from referee.records.file import RecordWriter
from referee.records.lines import AnyLine, DealLine
from referee.replay.verify import verify
from tests.ladder.ladders import new_ladder, recorded_match
from tests.referee.recorded import match_lines

if TYPE_CHECKING:
    from ladder.values.reports import DatasetManifest


REPEATS = 20

WARM_UP = 10


class Stopwatch:
    """Takes a record's lines; times the deals after the first `WARM_UP`."""

    def __init__(self) -> None:
        self.decisions = 0
        self.seconds = 0.0
        self._began = 0.0

    def __call__(self, line: AnyLine) -> None:
        """Count a line of the record."""
        if isinstance(line, DealLine) and line.deal >= WARM_UP:
            self.decisions += len(line.steps)
            self.seconds = time.perf_counter() - self._began
        elif isinstance(line, DealLine):
            self._began = time.perf_counter()


NAMES = ("match.jsonl", "match.jsonl.gz")


def played_rate(folder: Path, runtime: str) -> float:
    """Play a match with instant bots in containers and record it; deals a second once it is under way."""
    for name in NAMES:
        (folder / name).unlink(missing_ok=True)
    return asyncio.run(_play(folder, runtime))


async def _play(folder: Path, runtime: str) -> float:
    sandbox, watch = DockerSandbox(runtime), Stopwatch()
    plain, packed = (RecordWriter.create(folder / name) for name in NAMES)

    def write(line: AnyLine) -> None:
        plain.write(line)
        packed.write(line)
        watch(line)

    try:
        program = await sandbox.load(INSTANT)
        await play_sandboxed(instant_spec(), [program] * 4, write)
    finally:
        await sandbox.close()
    plain.close()
    packed.close()
    return (DEALS - WARM_UP) / watch.seconds


def verified_rate(path: Path, repeats: int) -> float:
    """Measure deals verified per second, reading the file included, *repeats* times."""
    started = time.perf_counter()
    for _ in range(repeats):
        assert verify(path).finished
    return repeats * DEALS / (time.perf_counter() - started)


def measure(rounds: int, repeats: int = REPEATS) -> list[Row]:
    """Measure the same match played in each runtime, verified, and verified from a packed record, in turn."""
    found = runtimes()
    with tempfile.TemporaryDirectory() as name:
        paths = [Path(name) / each for each in NAMES]
        rates = in_turn(
            rounds,
            *(partial(played_rate, Path(name), runtime) for runtime in found),
            lambda: verified_rate(paths[0], repeats),
            lambda: verified_rate(paths[1], repeats),
        )
    played = [f"deals played in containers, one table ({runtime})" for runtime in found]
    names = (*played, "deals verified", "deals verified, packed record")
    return compared(names, rates, "/s", "playing")


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


def measure_dataset(rounds: int) -> list[Row]:
    """Export one ladder after the other."""
    measured(rounds)  # which imports what tables need
    rounds_of = [measured(number) for number in range(rounds)]
    rates = [[played for played, _, _ in rounds_of], [exported for _, exported, _ in rounds_of]]
    rows = compared(("decisions played inline", "decisions exported"), rates, "/s of CPU", "playing")
    for what, tables in (("decisions", ["decisions"]), ("all tables", list(rounds_of[0][2].rows))):
        rows.append(Row(f"bytes a decision, {what}", spread([bytes_of(found, *tables) for *_, found in rounds_of])))
    return rows


PARTS = (Part("verify", __doc__, measure, rounds=5), Part("dataset", __doc__, measure_dataset, rounds=5))

if __name__ == "__main__":
    run(__doc__, *PARTS)
