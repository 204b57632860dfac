"""
Costs of commands.

*commands*: CPU time of the whole process of each, against a Python that runs nothing; and costs of `pigpen up` while
nothing is played or read: memory of all its processes (a page that several share counts once), and CPU.

*why*: time that `pigpen why` takes, by wall clock, for decisions of a match of sample bots. A decision is estimated
with everything that the command shows: the playouts, the house bots, hindsight. Then the costliest decisions of one bot
in a match of four boards.
"""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.part_runner import run
from benchmarks.report import Part, Row, compared, in_turn, spread
from ladder.app.local.why import Source, costliest_in_record
from ladder.matches.inline_match import play_inline
from ladder.matches.why import why_of
from ladder.sandbox.bots.bot_source import find_bot, seat_names
from pigpen.rules import PRESETS, Phase, seed_from
from referee.match.formats import Format, MatchSpec
from referee.records.file import RecordWriter, read_record
from referee.records.recorded import Recorded
from referee.replay.deal_replay import decisions

if TYPE_CHECKING:
    from collections.abc import Sequence


PIGPEN = (sys.executable, "-m", "ladder.cli.entry")

COMMANDS = {
    "Python, nothing": (sys.executable, "-c", "pass"),
    "pigpen --help": (*PIGPEN, "--help"),
    "pigpen play --help": (*PIGPEN, "play", "--help"),
    "pigpen play, a deal, inline": (*PIGPEN, "play", *["random"] * 4, "--deals", "1", "--sandbox", "inline"),
}

BEGIN_SECONDS, IDLE_SECONDS = 30.0, 60.0
"""Seconds until `pigpen up` counts as idle, and those that are measured."""

NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
"""Variable under which modules are compiled for each command; an installed Pigpen is compiled already."""


def cpu_millis(words: tuple[str, ...]) -> float:
    """Measure the milliseconds of CPU time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    compiled = {name: value for name, value in os.environ.items() if name != NO_BYTECODE}
    subprocess.run(words, env=compiled, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def idle(begin: float, seconds: float) -> tuple[float, float]:
    """Start `pigpen up` on a new ladder; MiB of its processes, and their percentage of a core, in some seconds."""
    with tempfile.TemporaryDirectory() as folder:
        there = os.environ | {"PIGPEN_DATA_DIR": folder}
        words, silent = [*PIGPEN, "up", "--port", "0"], subprocess.DEVNULL
        with subprocess.Popen(words, env=there, cwd=folder, stdout=silent, stderr=silent) as up:
            try:
                time.sleep(begin)
                processes = _tree(up.pid)
                before = sum(map(_cpu_seconds, processes))
                time.sleep(seconds)
                busy = sum(map(_cpu_seconds, processes)) - before
                return sum(map(_own_mib, processes)), 100 * busy / seconds
            finally:
                up.send_signal(signal.SIGTERM)


def _tree(process: int) -> list[int]:
    """List a process and all that it has started."""
    below = [
        int(child) for file in Path(f"/proc/{process}/task").glob("*/children") for child in file.read_text().split()
    ]
    return [process, *(each for child in below for each in _tree(child))]


def _cpu_seconds(process: int) -> float:
    """Read the seconds of CPU time of a process: threads count nanoseconds, and ticks of 10 ms are too coarse."""
    files = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(file.read_text().split()[0]) for file in files) / 1e9


def _own_mib(process: int) -> float:
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def measure(rounds: int, begin: float = BEGIN_SECONDS, seconds: float = IDLE_SECONDS) -> list[Row]:
    """Measure every command in turn, after one round that does not count; then `pigpen up`, once."""
    for words in COMMANDS.values():
        cpu_millis(words)
    millis = in_turn(rounds, *(lambda words=words: cpu_millis(words) for words in COMMANDS.values()))
    mib, percent = idle(begin, seconds)
    return [
        *compared([f"{name}: CPU" for name in COMMANDS], millis, "ms", "nothing"),
        Row("pigpen up, idle: memory", spread([mib], " MiB")),
        Row("pigpen up, idle: CPU", spread([percent], " % of a core")),
    ]


BOTS = ("random", "counting", "cautious", "random")

VARIANTS = ("hearts", "gongzhu")

BOARDS = 4

WORST = 5


def play(path: Path, variant: str, boards: int) -> None:
    """Play a match and record it."""
    spec = MatchSpec(PRESETS[variant], seat_names(BOTS), Format(boards=boards), seed=seed_from("why"))
    with RecordWriter.create(path) as writer:
        asyncio.run(play_inline(spec, [find_bot(name) for name in BOTS], writer.write))


def decision_times(path: Path, deals: int) -> dict[str, list[float]]:
    """Measure milliseconds for each decision of the first deals, by its kind; the bots are loaded before."""
    recorded = Recorded.of(read_record(path))
    times: dict[str, list[float]] = {}
    for place, decision in enumerate(each for line in recorded.deals[:deals] for each in decisions(recorded, line)):
        if not place:
            why_of(decision, "warm-up")
        started = time.perf_counter()
        why_of(decision, "benchmark")
        kind = "a card" if decision.before.phase is Phase.PLAY else f"what to {decision.at}"
        times.setdefault(kind, []).append(1000 * (time.perf_counter() - started))
    return times


def costliest_seconds(path: Path) -> float:
    """Measure how long it takes to find the costliest decisions of the first bot."""
    started = time.perf_counter()
    assert costliest_in_record(Source.of(path), BOTS[0], WORST).decisions
    return time.perf_counter() - started


def measure_why(rounds: int, boards: int = BOARDS, deals: int = 4, variants: Sequence[str] = VARIANTS) -> list[Row]:
    """Measure *deals* deals of each variant once, and the costliest decisions of matches of *boards* boards."""
    rows = []
    for variant in variants:
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / "match.jsonl"
            play(path, variant, boards)
            for kind, times in decision_times(path, deals).items():
                rows += rows_of(f"why, {kind}, {variant}", times)
            seconds = [costliest_seconds(path) for _ in range(rounds)]
            rows.append(Row(f"costliest {WORST} of a bot, {boards} boards, {variant}", spread(seconds, " s")))
    return rows


def rows_of(what: str, times: Sequence[float]) -> list[Row]:
    """Make rows of the median, and of what 99 of 100 stay below."""
    slow = sorted(times)[int(0.99 * len(times))]
    return [Row(what, spread(times, " ms")), Row(f"{what}, 99 of 100 within", spread([slow], " ms"))]


PARTS = (Part("commands", __doc__, measure, rounds=9), Part("why", __doc__, measure_why, rounds=5))

if __name__ == "__main__":
    run(__doc__, *PARTS)
