"""Speed of verifying a record against that of playing it: deals a second of the same match."""

from __future__ import annotations

import asyncio
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.decision import DEALS, INSTANT, WARM_UP, Stopwatch, instant_spec
from benchmarks.part_runner import run
from benchmarks.report import Part, Row, compared, in_turn
from benchmarks.runtimes import runtimes
from ladder.matches.play import play_sandboxed
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from referee.records.file import RecordWriter
from referee.replay.verify import verify

if TYPE_CHECKING:
    from referee.records.lines import AnyLine

REPEATS = 20
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


PART = Part("verify", __doc__, measure, rounds=5)

if __name__ == "__main__":
    run(__doc__, PART)
